import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Role } from '../../../src/domain/identity/role.js';
import { startApi, type TestApi } from '../../support/api/api.js';
import { createOrganization } from '../../support/runs/run-fixture.js';
import { deactivate } from '../../support/api/users.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const NEW_AGENT = { name: 'made-by-a-user', harness: 'replay', model: 'none', policy: 'default' };

describe('a user as a caller', () => {
  it.each<[Role, number, number]>([
    ['member', 200, 403],
    ['approver', 200, 403],
    ['admin', 200, 200],
    ['owner', 200, 200],
  ])('a %s reads agents and writes them only as an administrator', async (role, read, write) => {
    const { token } = await api.addUser(role);
    expect((await api.get('/v1/agents', { token })).status).toBe(read);
    const answer = await api.post('/v1/agents', { ...NEW_AGENT, name: `agent-of-${role}` }, { token });
    expect(answer.status).toBe(write);
  });

  it.each(['membership', 'account'] as const)('is nobody from the moment that the %s is not active', async (what) => {
    const user = await api.addUser('owner');
    expect((await api.get('/v1/agents', user)).status).toBe(200);
    await deactivate(api.db, user, what);
    const answer = await api.get('/v1/agents', user);
    expect([answer.status, answer.body]).toEqual([401, { error: 'unauthorized' }]);
  });

  it('has the roles of this request, not those of an earlier one', async () => {
    const user = await api.addUser('admin');
    const write = (name: string) => api.post('/v1/agents', { ...NEW_AGENT, name }, user);
    expect((await write('before')).status).toBe(200);
    await api.database.owner.query(`update org_memberships set roles = '{member}' where user_id = $1`, [user.userId]);
    expect((await write('after')).status).toBe(403);
  });

  it('sees the own organization only', async () => {
    const other = await createOrganization(api.db);
    const stranger = await api.users.add(api.db, other.organizationId, 'owner');
    const { body } = await api.get('/v1/agents', stranger);
    expect(body.agents.map((agent) => agent.id)).toEqual([other.agentId]);
  });

  it('stands as the invoker on the run', async () => {
    const user = await api.addUser('member');
    const answer = await api.post('/v1/sessions', { agent: 'fixer', task: 't', workspace: { kind: 'scratch' } }, user);
    expect([answer.status, answer.body.session]).toEqual([
      200,
      expect.objectContaining({ invoked_by_kind: 'user', invoked_by_user_id: user.userId }),
    ]);
  });

  it.each(['local_copy', 'local_path'])(
    'CP-208 CP-302 never stores a folder of the host with an agent (%s)',
    async (kind) => {
      const folder = { kind, path: '/etc' };
      for (const role of ['admin', 'owner'] as const) {
        const user = await api.addUser(role);
        const name = `with-a-folder-${kind}-${role}`;
        const made = await api.post('/v1/agents', { ...NEW_AGENT, name, default_workspace: folder }, user);
        expect([made.status, made.body.error]).toEqual([403, expect.stringContaining('operator')]);
        expect((await api.get(`/v1/agents/${name}`)).status).toBe(404);
        const revised = await api.post('/v1/agents/fixer/revisions', { default_workspace: folder }, user);
        expect([revised.status, revised.body.error]).toEqual([403, expect.stringContaining('operator')]);
      }
    },
  );

  it('CP-177 CP-302 takes no folder of the host from an agent that the operator gave one', async () => {
    const name = 'of-the-operator';
    const folder = { kind: 'local_copy', path: '/srv/code' };
    expect((await api.post('/v1/agents', { ...NEW_AGENT, name, default_workspace: folder })).status).toBe(200);
    const owner = await api.addUser('owner');
    expect((await api.post(`/v1/agents/${name}/revisions`, { description: 'inherits' }, owner)).status).toBe(200);
    const refused = await api.post('/v1/sessions', { agent: name, task: 't' }, owner);
    expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('operator')]);
  });

  it('CP-177 CP-302 never names a folder of the host as workspace, whatever the role, and no run is left behind', async () => {
    const body = { agent: 'fixer', task: 't', workspace: { kind: 'local_copy', path: '/etc' } };
    const count = async (): Promise<unknown> => (await api.database.owner.query('select count(*) from sessions')).rows;
    const before = await count();
    for (const role of ['member', 'approver', 'admin', 'owner'] as const) {
      const answer = await api.post('/v1/sessions', body, await api.addUser(role));
      expect([answer.status, answer.body.error]).toEqual([403, expect.stringContaining('operator')]);
    }
    expect(await count()).toEqual(before);
  });
});
