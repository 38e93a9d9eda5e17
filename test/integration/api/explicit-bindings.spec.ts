import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type TestApi } from '../../support/api/api.js';
import { connected, CRM_URL, type ConnectedOptions } from '../../support/connections/connected.js';
import { createOrganization } from '../../support/runs/run-fixture.js';
import { BindingsBench, requirement } from '../../support/connections/bindings-bench.js';

let bench: BindingsBench;
let api: TestApi;
beforeAll(async () => {
  bench = await BindingsBench.start();
  ({ api } = bench);
});
afterAll(() => api.close());
beforeEach(() => bench.revokeAll());

describe('explicit bindings', () => {
  it('CP-079 CP-189 name slots of requirements and nothing else', async () => {
    const id = await bench.connect();
    const name = await bench.agent(requirement());
    expect(await bench.refusal(name, { bindings: { workspace: id, zoo: id, 'publish:0': id } })).toBe(
      'bindings: unknown slot publish:0, workspace, zoo; the agent declares crm',
    );
    expect(await bench.refusal(name, { bindings: { crm: 'CRM' } })).toBe(
      'bindings.crm: must be the id of a connection',
    );
    expect(await bench.refusal(name, { bindings: { crm: { id } } })).toBe(
      'bindings.crm: must be the id of a connection',
    );
    expect(await bench.refusal(await bench.agent(), { bindings: { crm: id } })).toBe(
      'bindings: unknown slot crm; the agent declares none',
    );
  });

  it('CP-028 CP-031 CP-190 say the same of a connection that is missing, of another organization, or personal to somebody else', async () => {
    const elsewhere = await createOrganization(api.db);
    const ids = [
      '0190a000-0000-7000-8000-000000000000',
      await connected(api.db, elsewhere.organizationId),
      await bench.connect({ owner: bench.bob.userId, name: "Bob's" }),
    ];
    const name = await bench.agent(requirement());
    for (const [id, user] of ids.flatMap((id) => [[id, bench.ada] as const, [id, undefined] as const]))
      expect(await bench.refusal(name, { bindings: { crm: id } }, user)).toBe(
        `bindings.crm: connection ${id} not found`,
      );
  });

  it('CP-191 are refused for a connection that is not active, serves another connector or lacks a tool', async () => {
    const name = await bench.agent(requirement());
    const cases: [ConnectedOptions, string][] = [
      [{ status: 'revoked' }, 'connection CRM is revoked — reconnect it'],
      [{ status: 'pending' }, 'connection CRM is pending — reconnect it'],
      [{ url: 'http://crm.example.com/mcp' }, `connection CRM does not serve this connector, ${CRM_URL}`],
      [{ provider: 'codehost' }, 'does not serve this connector'],
      [{ tools: ['find'] }, 'connection CRM is missing required tools: update'],
    ];
    for (const [options, words] of cases) {
      const id = await bench.connect(options);
      expect(await bench.refusal(name, { bindings: { crm: id } })).toContain(words);
    }
  });
});

describe('a requirement that acts as the invoking user', () => {
  it('CP-042 takes the connection of whoever starts the run, and nobody else can start it so', async () => {
    const [mine, theirs] = [
      await bench.connect({ owner: bench.ada.userId }),
      await bench.connect({ owner: bench.bob.userId }),
    ];
    await bench.connect({ name: 'of the organization' });
    const name = await bench.agent(requirement({ binding_mode: 'invoking_user' }));
    for (const [user, id] of [
      [bench.ada, mine],
      [bench.bob, theirs],
    ] as const) {
      const created = await bench.start(name, {}, user);
      expect(created.body.session.invoked_by_user_id).toBe(user.userId);
      expect(await bench.rowsOf(created)).toMatchObject([
        {
          connection_id: id,
          connection_owner_type: 'user',
          connection_owner_user_id: user.userId,
          resolved_by_principal_kind: 'user',
          resolved_by_principal_id: user.userId,
          binding_mode: 'invoking_user',
        },
      ]);
    }
    expect(await bench.refusal(name)).toContain('this run is started by nobody who is a user');
    const eve = await api.addUser('owner');
    expect(await bench.refusal(name, {}, eve)).toContain('bindings.crm: connect acme-crm first');
  });
});
