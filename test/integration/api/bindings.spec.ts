import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/domain/json.js';
import { resolveBindings, type RunBindings } from '../../../src/api/sessions/run-bindings.js';
import type { RunSpec } from '../../../src/domain/run/spec.js';
import { insertConnection } from '../../../src/core/connections/connection-rows.js';
import { appendSnapshot } from '../../../src/core/connections/tool-snapshots.js';
import { ADMIN_TOKEN, startApi, type Answer, type TestApi } from '../../support/api/api.js';
import { connected, CRM_URL, snapshotTool, type ConnectedOptions } from '../../support/connections/connected.js';
import { createOrganization } from '../../support/runs/run-fixture.js';
import type { TestUser } from '../../support/api/users.js';

const ROOT = '/srv/code';
let api: TestApi;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
  api = await startApi({ SERVICE_LOCAL_COPY_ROOTS: ROOT });
  ada = await api.addUser('member');
  bob = await api.addUser('admin');
});
afterAll(() => api.close());
// What a test connects is gone for the next one.
beforeEach(() => api.database.owner.query(`update integration_connections set status = 'revoked'`));

const requirement = (change: JsonObject = {}): JsonObject => ({
  slot: 'crm',
  connector: { url: CRM_URL, slug: 'acme-crm' },
  required_tools: ['update', 'find'],
  binding_mode: 'organization',
  ...change,
});
const connect = (options: ConnectedOptions = {}): Promise<string> => connected(api.db, api.organizationId, options);

let agents = 0;
async function agent(...requirements: JsonObject[]): Promise<string> {
  const name = `needs-${(agents += 1)}`;
  const made = await api.post('/v1/agents', { name, harness: 'replay', connection_requirements: requirements });
  expect(made.status).toBe(200);
  return name;
}
const start = (name: string, body: JsonObject = {}, user?: TestUser): Promise<Answer> =>
  api.post('/v1/sessions', { agent: name, task: '[{"say":"x"}]', ...body }, { token: user?.token ?? ADMIN_TOKEN });
async function refusal(name: string, body: JsonObject = {}, user?: TestUser): Promise<string> {
  const runs = await count();
  const answer = await start(name, body, user);
  expect([answer.status, await count()]).toEqual([400, runs]);
  return answer.body.error;
}
async function count(): Promise<number> {
  const { rows } = await api.database.owner.query<{ n: number }>('select count(*)::int as n from sessions');
  return rows[0]?.n ?? 0;
}
const specOf = (answer: Answer): RunSpec => answer.body.session.run_spec as unknown as RunSpec;
async function rowsOf(answer: Answer): Promise<JsonObject[]> {
  const { rows } = await api.database.owner.query<JsonObject>(
    'select * from session_resource_bindings where session_id = $1 order by slot_kind, requirement_slot',
    [answer.body.session.id],
  );
  return rows;
}

describe('connection requirements of a revision', () => {
  it('CP-088 CP-091 CP-093 are stored as they are given, inherited, and cleared by an empty list', async () => {
    const name = await agent(requirement());
    const read = async (): Promise<object[]> =>
      (await api.get(`/v1/agents/${name}`)).body.revisions[0]!.connection_requirements;
    expect(await read()).toEqual([requirement()]);
    await api.post(`/v1/agents/${name}/revisions`, { system_prompt: 'x' });
    expect(await read()).toEqual([requirement()]);
    await api.post(`/v1/agents/${name}/revisions`, { connection_requirements: [] });
    expect(await read()).toEqual([]);
  });

  it('CP-029 CP-093 cannot name a connection, a credential or another mode', async () => {
    for (const [change, words] of [
      [{ connection_id: 'x' }, 'connection_requirements[0].connection_id: is not a member of this request'],
      [
        { connector: { url: CRM_URL, token: 'x' } },
        'connection_requirements[0].connector.token: is not a member of this request',
      ],
      [{ binding_mode: 'anybody' }, 'binding_mode: must be invoking_user or organization'],
    ] as const) {
      const answer = await api.post('/v1/agents', { name: 'x', connection_requirements: [requirement(change)] });
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(words)]);
    }
  });
});

describe('a run of an agent that needs a connection', () => {
  it('CP-014 CP-042 CP-092 CP-127 CP-128 is frozen with exactly the required tools of its only fitting connection', async () => {
    const id = await connect({ url: 'https://crm.example.com', tools: ['find', 'delete', 'update'] });
    await connect({ url: 'https://other.example.com', name: 'Other' });
    const created = await start(await agent(requirement()));
    expect(created.status).toBe(200);
    const [row] = await rowsOf(created);
    expect(row).toMatchObject({
      slot_kind: 'mcp',
      requirement_slot: 'crm',
      authority_kind: 'connection',
      connection_id: id,
      authority_generation: 1,
      connection_owner_type: 'organization',
      connection_owner_user_id: null,
      snapshot_version: 1,
      resource_scope: {},
      resolved_by_principal_kind: 'operator',
      resolved_by_principal_id: null,
      binding_mode: 'organization',
    });
    const spec = specOf(created);
    expect(spec.brokered).toEqual([
      {
        slot: 'crm',
        url: CRM_URL,
        binding_id: row?.['id'],
        snapshot_version: 1,
        tools: [snapshotTool('update'), snapshotTool('find')],
        tools_digest: row?.['effective_tools_digest'],
        protocol_version: '2025-11-25',
      },
    ]);
    expect(row?.['effective_tools_json']).toEqual(spec.brokered?.[0]?.tools);
    expect(JSON.stringify(spec)).not.toContain(id);
  });

  it('CP-255 keeps its tools when the connection is photographed anew', async () => {
    const id = await connect();
    const name = await agent(requirement());
    const before = await start(name);
    await api.db.withTenant(api.organizationId, (tx) =>
      appendSnapshot(
        tx,
        { id, generation: 1 },
        { protocolVersion: '2025-06-18', tools: [snapshotTool('other')], digest: `sha256:${'0'.repeat(64)}` },
      ),
    );
    const again = (await api.get(`/v1/sessions/${before.body.session.id}`)).body.session;
    expect(again.run_spec).toEqual(before.body.session.run_spec);
    expect(await refusal(name)).toBe('bindings.crm: connection CRM is missing required tools: update, find');
  });

  it.each([
    ['NUL', 'a\u0000'],
    ['half a surrogate pair', 'a\ud800'],
  ])('CP-125 is refused under a photograph whose schema holds %s, which no table can', async (_what, text) => {
    const id = await connect({ tools: null });
    const tools = ['update', 'find'].map((one) => ({ ...snapshotTool(one), input_schema: { default: text } }));
    await api.db.withTenant(api.organizationId, (tx) =>
      appendSnapshot(
        tx,
        { id, generation: 1 },
        { protocolVersion: '2025-11-25', tools, digest: `sha256:${'0'.repeat(64)}` },
      ),
    );
    expect(await refusal(await agent(requirement()))).toContain(
      'tool update holds hidden or control characters — refresh its tools',
    );
  });

  it('CP-192 is refused before anything of it exists when nothing serves the slot', async () => {
    const name = await agent(requirement());
    expect(await refusal(name)).toBe('bindings.crm: no active organization connection serves acme-crm');
    await connect({ status: 'error' });
    expect(await refusal(name)).toContain(
      'no active organization connection serves acme-crm; CRM is error — reconnect',
    );
    await connect({ url: 'https://crm.example.com/mcp/deeper' });
    await connect({ url: 'https://crm.example.com.evil.example/mcp' });
    await connect({ provider: 'codehost', url: CRM_URL });
    await connect({ owner: ada.userId });
    expect(await refusal(name)).toContain('no active organization connection serves acme-crm');
  });

  it('CP-192 is refused when several serve it, naming them, and never takes the newest', async () => {
    const [first] = [await connect({ name: 'One' }), await connect({ name: 'Two' })];
    const name = await agent(requirement());
    const words = await refusal(name);
    expect(words).toMatch(
      /^bindings\.crm: multiple connections serve this connector: One \(.+\), Two \(.+\); bind one/,
    );
    const pinned = await start(name, { bindings: { crm: first } });
    expect((await rowsOf(pinned))[0]).toMatchObject({ connection_id: first, binding_mode: 'explicit' });
  });

  it('CP-092 is refused without a photograph, and with one of an earlier authorization', async () => {
    await connect({ tools: null });
    const name = await agent(requirement());
    expect(await refusal(name)).toBe('bindings.crm: connection CRM has no tool snapshot — refresh its tools');
    await api.database.owner.query(`update integration_connections set status = 'revoked'`);
    await reauthorized();
    expect(await refusal(name)).toBe('bindings.crm: connection CRM was reauthorized — refresh its tools');
  });

  it('is refused when a bundle of it has a server of the name of the slot', async () => {
    const tools = [{ name: 'find', description: '', input_schema: { type: 'object' } }];
    await api.post('/v1/capabilities', {
      name: 'local-crm',
      servers: [{ class: 'sandbox', name: 'crm', command: 'node', args: [], tools }],
    });
    await connect();
    const made = { name: 'twice', harness: 'replay', capability_bundles: ['local-crm'] };
    await api.post('/v1/agents', { ...made, connection_requirements: [requirement()] });
    expect(await refusal('twice')).toContain(
      'bindings.crm: server crm of bundle local-crm@1 has the name of this slot',
    );
    expect((await start('twice', { capabilities: [] })).status).toBe(200);
  });

  it('is refused when its stored requirements were tampered with', async () => {
    const name = await agent(requirement());
    await api.database.owner.query('alter table agent_revisions disable trigger all');
    await api.database.owner.query(
      `update agent_revisions set connection_requirements = '[{"slot":"crm"}]'
        where agent_id = (select id from agents where name = $1)`,
      [name],
    );
    await api.database.owner.query('alter table agent_revisions enable trigger all');
    expect(await refusal(name)).toContain('agent: its stored connection requirements are corrupt');
  });
});

describe('a read-only run', () => {
  it('CP-318 is bound to nothing that it could call, and still refuses a slot that is none', async () => {
    const resolve = (pins: JsonObject): Promise<RunBindings> =>
      api.db.withTenant(api.organizationId, (tx) =>
        resolveBindings(tx, {
          sessionId: '0190a000-0000-7000-8000-000000000001',
          principal: { kind: 'operator', organizationId: api.organizationId, name: 'operator', permissions: new Set() },
          requirements: [requirement()],
          pins,
          trustTier: 'read_only',
          workspace: { kind: 'scratch' },
        }),
      );
    expect(await resolve({})).toEqual({ surfaces: [], rows: [], workspace: { kind: 'scratch' } });
    await expect(resolve({ other: 'x' })).rejects.toThrow('bindings: unknown slot other; the agent declares crm');
  });
});

describe('explicit bindings', () => {
  it('CP-079 CP-189 name slots of requirements and nothing else', async () => {
    const id = await connect();
    const name = await agent(requirement());
    expect(await refusal(name, { bindings: { workspace: id, zoo: id, 'publish:0': id } })).toBe(
      'bindings: unknown slot publish:0, workspace, zoo; the agent declares crm',
    );
    expect(await refusal(name, { bindings: { crm: 'CRM' } })).toBe('bindings.crm: must be the id of a connection');
    expect(await refusal(name, { bindings: { crm: { id } } })).toBe('bindings.crm: must be the id of a connection');
    expect(await refusal(await agent(), { bindings: { crm: id } })).toBe(
      'bindings: unknown slot crm; the agent declares none',
    );
  });

  it('CP-028 CP-031 CP-190 say the same of a connection that is missing, of another organization, or personal to somebody else', async () => {
    const elsewhere = await createOrganization(api.db);
    const ids = [
      '0190a000-0000-7000-8000-000000000000',
      await connected(api.db, elsewhere.organizationId),
      await connect({ owner: bob.userId, name: "Bob's" }),
    ];
    const name = await agent(requirement());
    for (const [id, user] of ids.flatMap((id) => [[id, ada] as const, [id, undefined] as const]))
      expect(await refusal(name, { bindings: { crm: id } }, user)).toBe(`bindings.crm: connection ${id} not found`);
  });

  it('CP-191 are refused for a connection that is not active, serves another connector or lacks a tool', async () => {
    const name = await agent(requirement());
    const cases: [ConnectedOptions, string][] = [
      [{ status: 'revoked' }, 'connection CRM is revoked — reconnect it'],
      [{ status: 'pending' }, 'connection CRM is pending — reconnect it'],
      [{ url: 'http://crm.example.com/mcp' }, `connection CRM does not serve this connector, ${CRM_URL}`],
      [{ provider: 'codehost' }, 'does not serve this connector'],
      [{ tools: ['find'] }, 'connection CRM is missing required tools: update'],
    ];
    for (const [options, words] of cases) {
      const id = await connect(options);
      expect(await refusal(name, { bindings: { crm: id } })).toContain(words);
    }
  });
});

describe('a requirement that acts as the invoking user', () => {
  it('CP-042 takes the connection of whoever starts the run, and nobody else can start it so', async () => {
    const [mine, theirs] = [await connect({ owner: ada.userId }), await connect({ owner: bob.userId })];
    await connect({ name: 'of the organization' });
    const name = await agent(requirement({ binding_mode: 'invoking_user' }));
    for (const [user, id] of [
      [ada, mine],
      [bob, theirs],
    ] as const) {
      const created = await start(name, {}, user);
      expect(created.body.session.invoked_by_user_id).toBe(user.userId);
      expect(await rowsOf(created)).toMatchObject([
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
    expect(await refusal(name)).toContain('this run is started by nobody who is a user');
    const eve = await api.addUser('owner');
    expect(await refusal(name, {}, eve)).toContain('bindings.crm: connect acme-crm first');
  });
});

describe('the workspace', () => {
  const git = { kind: 'git_repository', repository: 'acme/app', clone_url: `file://${ROOT}/app`, ref: 'main' };

  it('CP-129 of a public repository is bound to no authority, which is written out', async () => {
    const created = await start(await agent(), { workspace: git });
    const [row, ...others] = await rowsOf(created);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      slot_kind: 'workspace_fetch',
      requirement_slot: 'workspace',
      authority_kind: 'none',
      connection_id: null,
      resource_scope: { url: git.clone_url, ref: 'main', commit: null },
      snapshot_version: null,
    });
    expect(specOf(created).workspace).toMatchObject({ binding_id: row?.['id'] });
  });

  it('scratch and copied folders have no binding', async () => {
    const name = await agent();
    expect(await rowsOf(await start(name))).toEqual([]);
    const copy = { kind: 'local_copy', path: `${ROOT}/app` };
    expect(await rowsOf(await start(name, { workspace: copy }))).toEqual([]);
  });
});

/** An OAuth connection that was photographed once and authorized again since. */
async function reauthorized(): Promise<void> {
  await api.db.withTenant(api.organizationId, async (tx) => {
    const connection = await insertConnection(tx, {
      id: '0190a000-0000-7000-8000-00000000000a',
      provider: 'mcp_http',
      external_account_id: 'crm.example.com',
      display_name: 'CRM',
      status: 'active',
      auth_kind: 'oauth',
      oauth: { resource: CRM_URL, scopes: [] },
      owner_type: 'organization',
      owner_user_id: null,
      created_by_user_id: null,
      metadata: { base_url: CRM_URL },
    });
    const tools = ['find', 'update'].map(snapshotTool);
    const photograph = { protocolVersion: '2025-11-25' as const, tools, digest: `sha256:${'0'.repeat(64)}` };
    await appendSnapshot(tx, { id: connection.id, generation: 1 }, photograph);
    await tx.query('update integration_connections set authorization_generation = 2 where id = $1', [connection.id]);
  });
}
