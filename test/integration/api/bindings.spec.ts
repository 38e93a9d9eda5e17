import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/domain/json.js';
import { resolveBindings, type RunBindings } from '../../../src/core/creation/run-bindings.js';
import { insertConnection } from '../../../src/core/connections/connection-rows.js';
import { appendSnapshot } from '../../../src/core/connections/tool-snapshots.js';
import { type TestApi } from '../../support/api/api.js';
import { CRM_URL, snapshotTool } from '../../support/connections/connected.js';
import { BindingsBench, requirement, ROOT, specOf } from '../../support/connections/bindings-bench.js';

let bench: BindingsBench;
let api: TestApi;
beforeAll(async () => {
  bench = await BindingsBench.start();
  ({ api } = bench);
});
afterAll(() => api.close());
beforeEach(() => bench.revokeAll());

describe('connection requirements of a revision', () => {
  it('CP-088 CP-091 CP-093 are stored as they are given, inherited, and cleared by an empty list', async () => {
    const name = await bench.agent(requirement());
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
    const id = await bench.connect({ url: 'https://crm.example.com', tools: ['find', 'delete', 'update'] });
    await bench.connect({ url: 'https://other.example.com', name: 'Other' });
    const created = await bench.start(await bench.agent(requirement()));
    expect(created.status).toBe(200);
    const [row] = await bench.rowsOf(created);
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

  it('CP-255 keeps its tools when a new snapshot of the connection is taken', async () => {
    const id = await bench.connect();
    const name = await bench.agent(requirement());
    const before = await bench.start(name);
    await api.db.withTenant(api.organizationId, (tx) =>
      appendSnapshot(
        tx,
        { id, generation: 1 },
        { protocolVersion: '2025-06-18', tools: [snapshotTool('other')], digest: `sha256:${'0'.repeat(64)}` },
      ),
    );
    const again = (await api.get(`/v1/sessions/${before.body.session.id}`)).body.session;
    expect(again.run_spec).toEqual(before.body.session.run_spec);
    expect(await bench.refusal(name)).toBe('bindings.crm: connection CRM is missing required tools: update, find');
  });

  it.each([
    ['NUL', 'a\u0000'],
    ['half a surrogate pair', 'a\ud800'],
  ])('CP-125 is refused under a snapshot whose schema holds %s, which no table can', async (_what, text) => {
    const id = await bench.connect({ tools: null });
    const tools = ['update', 'find'].map((one) => ({ ...snapshotTool(one), input_schema: { default: text } }));
    await api.db.withTenant(api.organizationId, (tx) =>
      appendSnapshot(
        tx,
        { id, generation: 1 },
        { protocolVersion: '2025-11-25', tools, digest: `sha256:${'0'.repeat(64)}` },
      ),
    );
    expect(await bench.refusal(await bench.agent(requirement()))).toContain(
      'tool update holds hidden or control characters — refresh its tools',
    );
  });

  it('CP-192 is refused before anything of it exists when nothing serves the slot', async () => {
    const name = await bench.agent(requirement());
    expect(await bench.refusal(name)).toBe('bindings.crm: no active organization connection serves acme-crm');
    await bench.connect({ status: 'error' });
    expect(await bench.refusal(name)).toContain(
      'no active organization connection serves acme-crm; CRM is error — reconnect',
    );
    await bench.connect({ url: 'https://crm.example.com/mcp/deeper' });
    await bench.connect({ url: 'https://crm.example.com.evil.example/mcp' });
    await bench.connect({ provider: 'codehost', url: CRM_URL });
    await bench.connect({ owner: bench.ada.userId });
    expect(await bench.refusal(name)).toContain('no active organization connection serves acme-crm');
  });

  it('CP-192 is refused when several serve it, naming them, and never takes the newest', async () => {
    const [first] = [await bench.connect({ name: 'One' }), await bench.connect({ name: 'Two' })];
    const name = await bench.agent(requirement());
    const words = await bench.refusal(name);
    expect(words).toMatch(
      /^bindings\.crm: multiple connections serve this connector: One \(.+\), Two \(.+\); bind one/,
    );
    const pinned = await bench.start(name, { bindings: { crm: first } });
    expect((await bench.rowsOf(pinned))[0]).toMatchObject({ connection_id: first, binding_mode: 'explicit' });
  });

  it('CP-092 is refused without a snapshot, and with one of an earlier authorization', async () => {
    await bench.connect({ tools: null });
    const name = await bench.agent(requirement());
    expect(await bench.refusal(name)).toBe('bindings.crm: connection CRM has no tool snapshot — refresh its tools');
    await api.database.owner.query(`update integration_connections set status = 'revoked'`);
    await reauthorized();
    expect(await bench.refusal(name)).toBe('bindings.crm: connection CRM was reauthorized — refresh its tools');
  });

  it('is refused when a bundle of it has a server of the name of the slot', async () => {
    const tools = [{ name: 'find', description: '', input_schema: { type: 'object' } }];
    await api.post('/v1/capabilities', {
      name: 'local-crm',
      servers: [{ class: 'sandbox', name: 'crm', command: 'node', args: [], tools }],
    });
    await bench.connect();
    const made = { name: 'twice', harness: 'replay', capability_bundles: ['local-crm'] };
    await api.post('/v1/agents', { ...made, connection_requirements: [requirement()] });
    expect(await bench.refusal('twice')).toContain(
      'bindings.crm: server crm of bundle local-crm@1 has the name of this slot',
    );
    expect((await bench.start('twice', { capabilities: [] })).status).toBe(200);
  });

  it('is refused when its stored requirements were tampered with', async () => {
    const name = await bench.agent(requirement());
    await api.database.owner.query('alter table agent_revisions disable trigger all');
    await api.database.owner.query(
      `update agent_revisions set connection_requirements = '[{"slot":"crm"}]'
        where agent_id = (select id from agents where name = $1)`,
      [name],
    );
    await api.database.owner.query('alter table agent_revisions enable trigger all');
    expect(await bench.refusal(name)).toContain('agent: its stored connection requirements are corrupt');
  });
});

describe('a read-only run', () => {
  it('CP-318 is bound to nothing that it could call, and still refuses a slot that is none', async () => {
    const resolve = (pins: JsonObject): Promise<RunBindings> =>
      api.db.withTenant(api.organizationId, (tx) =>
        resolveBindings(tx, {
          runId: '0190a000-0000-7000-8000-000000000001',
          starter: {
            kind: 'operator',
            principalId: null,
            viewer: { organizationId: api.organizationId, userId: null, role: 'operator' },
          },
          requirements: [requirement()],
          subscription: null,
          destinations: [],
          pins,
          trustTier: 'read_only',
          workspace: { kind: 'scratch' },
        }),
      );
    expect(await resolve({})).toEqual({
      toolSets: [],
      rows: [],
      destinations: [],
      workspace: { kind: 'scratch' },
    });
    await expect(resolve({ other: 'x' })).rejects.toThrow('bindings: unknown slot other; the agent declares crm');
  });
});

describe('the workspace', () => {
  const git = { kind: 'git_repository', repository: 'acme/app', clone_url: `file://${ROOT}/app`, ref: 'main' };

  it('CP-129 of a public repository is bound to no authority, which is written out', async () => {
    const created = await bench.start(await bench.agent(), { workspace: git });
    const [row, ...others] = await bench.rowsOf(created);
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
    const name = await bench.agent();
    expect(await bench.rowsOf(await bench.start(name))).toEqual([]);
    const copy = { kind: 'local_copy', path: `${ROOT}/app` };
    expect(await bench.rowsOf(await bench.start(name, { workspace: copy }))).toEqual([]);
  });
});

/** An OAuth connection with one snapshot that was authorized again since. */
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
    const snapshot = { protocolVersion: '2025-11-25' as const, tools, digest: `sha256:${'0'.repeat(64)}` };
    await appendSnapshot(tx, { id: connection.id, generation: 1 }, snapshot);
    await tx.query('update integration_connections set authorization_generation = 2 where id = $1', [connection.id]);
  });
}
