import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, ADMIN_TOKEN, type Answer, type TestApi } from '../../support/api/api.js';
import { ask } from '../../support/gate/asked-approval.js';
import { connected } from '../../support/connections/connected.js';
import { mintRunTokens } from '../../../src/core/runs/tokens.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import type { ApprovalGrant } from '../../../src/api/approvals/grant.dto.js';
import type { TestUser } from '../../support/api/users.js';

let api: TestApi;
let people: Record<'ada' | 'member' | 'approver' | 'admin' | 'owner', TestUser>;
beforeAll(async () => {
  api = await startApi();
  people = {
    ada: await api.addUser('member'),
    member: await api.addUser('member'),
    approver: await api.addUser('approver'),
    admin: await api.addUser('admin'),
    owner: await api.addUser('owner'),
  };
  await connected(api.db, api.organizationId, { owner: people.ada.userId, url: 'https://own.example.com/' });
  await connected(api.db, api.organizationId, { owner: people.admin.userId, url: 'https://own.example.com/' });
  await connected(api.db, api.organizationId, { url: 'https://shared.example.com/' });
  const need = (slot: string, mode: string): object => ({
    slot,
    connector: { url: `https://${slot}.example.com/` },
    required_tools: ['find'],
    binding_mode: mode,
  });
  const made = await api.post('/v1/agents', {
    name: 'bound',
    harness: 'replay',
    connection_requirements: [need('own', 'invoking_user'), need('shared', 'organization')],
  });
  expect(made.status).toBe(200);
});
afterAll(() => api.close());

const OWN = 'mcp__own__find';
const SHARED = 'mcp__shared__find';

/** A run of the user, in which a call of the tool waits for a decision. */
async function asked(user: TestUser, tool: string): Promise<{ id: string; run: FixtureRun }> {
  const { session } = (await api.post('/v1/sessions', { agent: 'bound', task: '[{"say":"x"}]' }, { token: user.token }))
    .body;
  const run = {
    organizationId: api.organizationId,
    agentId: session.agent_id,
    revisionId: session.agent_revision_id,
    policyId: '',
    runId: session.id,
    runSpecDigest: '',
    tokens: await api.db.withTenant(api.organizationId, async (tx) => {
      await tx.query(`update sessions set status = 'running' where id = $1`, [session.id]);
      return mintRunTokens(tx, session.id, 3600);
    }),
  };
  const { rows } = await api.database.owner.query<{ digest: string }>(
    'select run_spec_digest as digest from sessions where id = $1',
    [session.id],
  );
  const frozen = { ...run, runSpecDigest: rows[0]?.digest ?? '' };
  return { id: await ask(api, frozen, { tool }), run: frozen };
}
const decide = (id: string, token: string, decision = 'approved_once'): Promise<Answer> =>
  api.post(`/v1/approvals/${id}/decision`, { decision }, { token });

describe('a call under a personal connection', () => {
  it.each(['approved_once', 'approved_session', 'denied'])(
    'CP-203 CP-204 is %s by its owner on a run of the owner, and by nobody else',
    async (decision) => {
      const { id } = await asked(people.ada, OWN);
      const others = [people.approver, people.admin, people.owner].map(({ token }) => token);
      expect((await decide(id, people.member.token, decision)).status).toBe(404);
      for (const token of [...others, ADMIN_TOKEN]) {
        const answer = await decide(id, token, decision);
        expect([answer.status, answer.body.error]).toEqual([403, expect.stringContaining('personal connection')]);
        expect(answer.text).not.toContain('CRM');
      }
      const settled = await decide(id, people.ada.token, decision);
      expect([settled.status, settled.body.decided_by]).toEqual([200, people.ada.userId]);
      expect((await decide(id, ADMIN_TOKEN, decision)).status).toBe(403);
    },
  );

  it('CP-203 is not decided by the owner on a run that somebody else started', async () => {
    const { id, run } = await asked(people.admin, OWN);
    await api.database.owner.query('update sessions set invoked_by_user_id = $2 where id = $1', [
      run.runId,
      people.ada.userId,
    ]);
    for (const { token } of [people.admin, people.ada]) expect((await decide(id, token)).status).toBe(403);
  });

  it('shows its input to the owner alone', async () => {
    const { id } = await asked(people.ada, OWN);
    const input = async (token: string): Promise<unknown> =>
      ((await api.get(`/v1/approvals/${id}`, { token })).body as { input?: unknown }).input;
    expect(await input(people.ada.token)).toEqual({ command: 'git push' });
    for (const token of [people.admin.token, ADMIN_TOKEN]) expect(await input(token)).toBeNull();
  });

  it('CP-148 shows what a grant would cover to all who see it, and other calls to the owner alone', async () => {
    const first = await asked(people.ada, OWN);
    await api.database.owner.query(`update approvals set scope_keys = array[$2] where id = $1`, [
      first.id,
      JSON.stringify([OWN, OWN]),
    ]);
    await ask(api, first.run, { tool: OWN, keys: [OWN], input: { q: 'second' } });
    await api.database.owner.query(`update approvals set summary = 'find: first' where id = $1`, [first.id]);
    const [newest] = (await api.get(`/v1/sessions/${first.run.runId}/approvals`)).body.approvals;
    const grant = async (token: string) =>
      (await api.get(`/v1/approvals/${newest?.id}`, { token })).body as unknown as { grant: ApprovalGrant };
    const covers = `Every call of \`${OWN}\`, whatever its input.`;
    const examples = [{ call: 'find: first', from_run: true }];
    expect((await grant(people.ada.token)).grant).toMatchObject({ covers, keys: [OWN], examples });
    for (const token of [people.admin.token, ADMIN_TOKEN]) {
      expect((await grant(token)).grant).toMatchObject({ covers, keys: [OWN], examples: [] });
    }
  });

  it('is decided by nobody once its binding cannot be found', async () => {
    const { id, run } = await asked(people.ada, OWN);
    await api.database.owner.query('alter table run_resource_bindings disable trigger all');
    await api.database.owner.query('delete from run_resource_bindings where session_id = $1', [run.runId]);
    await api.database.owner.query('alter table run_resource_bindings enable trigger all');
    const answer = await decide(id, people.ada.token);
    expect([answer.status, answer.body.error]).toEqual([
      403,
      expect.stringContaining('the binding of this call is gone'),
    ]);
  });
});

describe('other calls', () => {
  it('under a connection of the organization need a role, also on a run of the caller', async () => {
    const { id } = await asked(people.ada, SHARED);
    expect((await decide(id, people.ada.token)).status).toBe(403);
    expect((await decide(id, people.member.token)).status).toBe(404);
    expect((await decide(id, people.approver.token)).status).toBe(200);
  });

  it('without any credential are decided by whoever started the run too', async () => {
    const { id } = await asked(people.ada, 'Bash');
    expect((await decide(id, people.member.token)).status).toBe(404);
    expect((await decide(id, people.ada.token)).status).toBe(200);
  });

  it('a member sees the questions of own runs, and those of others as unknown', async () => {
    const mine = await asked(people.ada, OWN);
    const theirs = await asked(people.admin, OWN);
    const seen = (await api.get('/v1/approvals', { token: people.ada.token })).body.approvals.map(({ id }) => id);
    expect([seen.includes(mine.id), seen.includes(theirs.id)]).toEqual([true, false]);
    const of = (path: string): Promise<Answer> => api.get(path, { token: people.ada.token });
    expect((await of(`/v1/approvals/${theirs.id}`)).status).toBe(404);
    expect((await of(`/v1/sessions/${theirs.run.runId}/approvals`)).status).toBe(404);
    expect((await of(`/v1/sessions/${mine.run.runId}/approvals`)).body.approvals).toHaveLength(1);
    const all = (await api.get('/v1/approvals', { token: people.approver.token })).body.approvals.map(({ id }) => id);
    expect(all).toEqual(expect.arrayContaining([mine.id, theirs.id]));
  });
});
