import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApi } from '../../support/api/api.js';
import {
  connectionIn,
  startConnectionsApi,
  type Connection,
  type RefreshedSnapshot,
} from '../../support/connections/connections-api.js';
import type { Behaviour } from '../../support/mcp/behaviour.js';
import { ECHO, HostileServer } from '../../support/mcp/hostile-server.js';
import { until } from '../../support/time/until.js';

let api: TestApi;
let server: HostileServer;
let connection: Connection;
beforeAll(async () => {
  [api, server] = await Promise.all([startConnectionsApi(), HostileServer.start()]);
});
afterAll(async () => {
  await api.close();
  await server.close();
});
beforeEach(async () => {
  server.tools = [ECHO];
  server.protocolVersion = '2025-11-25';
  for (const method of ['initialize', 'tools/list']) server.always(method, null);
  const body = { provider: 'mcp_http', base_url: server.url, token: 'a-token-of-somebody' };
  connection = connectionIn(await api.post('/v1/connections', body));
});

const refresh = () => api.post(`/v1/connections/${connection.id}/tools/refresh`);
const latest = () => api.get(`/v1/connections/${connection.id}/tools`);

async function refreshed(): Promise<RefreshedSnapshot> {
  const answer = await refresh();
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as unknown as RefreshedSnapshot;
}

describe('tool snapshots of a connection', () => {
  it('CP-125 CP-252 the latest one has version, tools, digest and protocol version, and no schema', async () => {
    const { body, text } = await latest();
    expect(body).toEqual({
      version: 1,
      protocol_version: '2025-11-25',
      tools_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      digest: (body as unknown as RefreshedSnapshot).tools_digest,
      discovered_at: expect.any(String),
      authorization_generation: 1,
      tools: [{ name: 'echo', description: 'Answers with its arguments.' }],
    });
    expect(text).not.toContain('schema');
  });

  it('CP-125 CP-253 a refresh after a real initialize appends a version, also when nothing changed', async () => {
    const before = server.methods.filter((method) => method === 'initialize').length;
    const [second, third] = [await refreshed(), await refreshed()];
    expect([second.version, third.version]).toEqual([2, 3]);
    expect(third.digest).toBe(second.digest);
    expect(third.changes).toEqual({ added: [], removed: [], changed: [], protocol: null });
    expect(server.methods.filter((method) => method === 'initialize').length).toBe(before + 2);
    expect((await latest()).body).toMatchObject({ version: 3 });
  });

  it('CP-044 each connection has a series of its own, also two of one server', async () => {
    await refreshed();
    const body = { provider: 'mcp_http', base_url: server.url, token: 'another-token' };
    const other = connectionIn(await api.post('/v1/connections', body));
    expect(other.snapshot).toMatchObject({ version: 1 });
    expect((await latest()).body).toMatchObject({ version: 2 });
  });

  it('says what changed since the previous snapshot', async () => {
    server.tools = [
      { ...ECHO, description: 'Does something else.' },
      { name: 'fresh', inputSchema: { type: 'object' } },
    ];
    server.protocolVersion = '2025-06-18';
    const { changes, protocol_version } = await refreshed();
    expect(protocol_version).toBe('2025-06-18');
    expect(changes).toEqual({
      added: ['fresh'],
      removed: [],
      changed: ['echo'],
      protocol: { from: '2025-11-25', to: '2025-06-18' },
    });
    server.tools = [ECHO];
    expect((await refreshed()).changes).toMatchObject({ added: [], removed: ['fresh'], changed: ['echo'] });
  });

  it('CP-255 a refresh changes nothing of what a run froze', async () => {
    const requirement = {
      slot: 'tracker',
      connector: { url: server.url },
      required_tools: ['echo'],
      binding_mode: 'organization',
    };
    const agent = { name: 'bound', harness: 'replay', policy: 'standard', connection_requirements: [requirement] };
    expect((await api.post('/v1/agents', agent)).status).toBe(200);
    // The connections of the other tests are of the same server; one of two that match has to be named.
    const run = { agent: 'bound', task: 't', workspace: { kind: 'scratch' }, bindings: { tracker: connection.id } };
    const created = await api.post('/v1/sessions', run);
    expect([created.status, created.body.error]).toEqual([200, undefined]);
    const frozen = () =>
      api.database.owner
        .query(
          `select s.run_spec, s.run_spec_digest, b.snapshot_version, b.effective_tools_json, b.effective_tools_digest
             from sessions s join run_resource_bindings b on b.session_id = s.id where s.id = $1`,
          [created.body.session.id],
        )
        .then(({ rows }) => rows as unknown[]);
    const before = await frozen();
    expect(before).toMatchObject([{ snapshot_version: 1, effective_tools_json: [{ name: 'echo' }] }]);
    server.tools = [{ ...ECHO, description: 'Does something else.' }];
    expect(await refreshed()).toMatchObject({ version: 2, changes: { changed: ['echo'] } });
    expect(await frozen()).toEqual(before);
  });

  const endless: Behaviour = { kind: 'answer', result: { tools: [ECHO], nextCursor: 'again' } };
  it.each<[string, string, Behaviour]>([
    ['CP-254 a listing that never ends', 'tools/list', endless],
    [
      'another protocol version',
      'initialize',
      { kind: 'answer', result: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: {} } },
    ],
    [
      'no tools offered',
      'initialize',
      { kind: 'answer', result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} } },
    ],
    ['a refused credential', 'initialize', { kind: 'status', status: 401 }],
    ['a redirect', 'tools/list', { kind: 'redirect', to: 'http://127.0.0.1:1/' }],
    ['a name twice', 'tools/list', { kind: 'answer', result: { tools: [ECHO, ECHO] } }],
  ])('%s fails the refresh with 400 and leaves the previous snapshot', async (_what, method, behaviour) => {
    server.always(method, behaviour);
    const answer = await refresh();
    expect([answer.status, typeof answer.body.error]).toEqual([400, 'string']);
    expect((await latest()).body).toMatchObject({ version: 1, tools: [{ name: 'echo' }] });
  });

  it('a connection that is revoked while its server is asked gets no snapshot', async () => {
    const revoked = Promise.withResolvers<void>();
    server.next('tools/list', { kind: 'held', until: revoked.promise });
    const asked = refresh();
    expect(
      await until(
        () => server.methods.at(-1),
        (method) => method === 'tools/list',
      ),
    ).toBe('tools/list');
    expect((await api.post(`/v1/connections/${connection.id}/revoke`)).status).toBe(200);
    revoked.resolve();
    expect((await asked).status).toBe(409);
    expect((await latest()).body).toMatchObject({ version: 1 });
  });

  it('refreshes that race give each version once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, refresh));
    const versions = answers.flatMap(({ status, body }) =>
      status === 200 ? [(body as unknown as RefreshedSnapshot).version] : [],
    );
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(versions.toSorted()).toEqual(versions.map((_, index) => index + 2));
  });

  it('CP-126 no statement alters or removes a snapshot, whoever asks', async () => {
    const statements = [
      `update connection_tool_snapshots set tools_json = '[]'`,
      'delete from connection_tool_snapshots',
      'truncate connection_tool_snapshots',
    ];
    for (const statement of statements) {
      await expect(api.db.withTenant(api.organizationId, (tx) => tx.query(statement))).rejects.toThrow(
        /permission denied/,
      );
      await expect(api.database.owner.query(statement)).rejects.toThrow(/append-only|cannot truncate/);
    }
    const { rows } = await api.database.owner.query(
      `select privilege_type from information_schema.role_table_grants
        where table_name = 'connection_tool_snapshots' and grantee like 'sandgate_%' order by 1`,
    );
    expect(rows).toEqual([{ privilege_type: 'INSERT' }, { privilege_type: 'SELECT' }]);
    expect((await latest()).body).toMatchObject({ version: 1 });
  });

  it('CP-126 no route of a snapshot does more than read or append', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const answer = await api.call(method, `/v1/connections/${connection.id}/tools`);
      expect([404, 405]).toContain(answer.status);
    }
  });
});
