import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApi } from '../../support/api/api.js';
import { connectionIn, startConnectionsApi } from '../../support/connections/connections-api.js';
import { HostileServer } from '../../support/mcp/hostile-server.js';
import type { TestUser } from '../../support/api/users.js';

const TOKEN = 'tok_5up3r-s3cret_0123456789';

let api: TestApi;
let server: HostileServer;
let member: TestUser;
let admin: TestUser;
beforeAll(async () => {
  [api, server] = await Promise.all([startConnectionsApi(), HostileServer.start({ authorization: `Bearer ${TOKEN}` })]);
  [member, admin] = [await api.addUser('member'), await api.addUser('admin')];
});
afterAll(async () => {
  await api.close();
  await server.close();
});
afterEach(() => {
  server.always('tools/list', null);
});

const create = (body: object, token?: string) =>
  api.post('/v1/connections', body, token === undefined ? {} : { token });
const mcp = (more: object = {}): object => ({ provider: 'mcp_http', base_url: server.url, token: TOKEN, ...more });

async function rows(): Promise<number> {
  const { rows: found } = await api.database.owner.query<{ n: number }>(
    'select count(*)::int as n from integration_connections',
  );
  return found[0]?.n ?? -1;
}

describe('POST /v1/connections', () => {
  it('CP-118 CP-119 CP-123 CP-248 CP-253 a static connection is active at once, has a snapshot, and shows no secret', async () => {
    const answer = await create(mcp({ display_name: 'Tracker' }));
    expect(answer.text).not.toContain(TOKEN);
    const { snapshot, ...connection } = connectionIn(answer);
    expect(connection).toEqual({
      id: expect.any(String),
      tenant_id: api.organizationId,
      provider: 'mcp_http',
      external_account_id: `127.0.0.1:${server.port}`,
      display_name: 'Tracker',
      granted_scopes: [],
      resource_selection: {},
      status: 'active',
      metadata: { base_url: server.url, endpoint_url: server.url },
      auth_kind: 'static',
      oauth: null,
      registration_id: null,
      owner_type: 'organization',
      owner_user_id: null,
      created_by_user_id: null,
      authorization_generation: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      owner: 'organization',
      base_url: server.url,
      scheme: 'Bearer',
      scopes: [],
    });
    expect(snapshot).toMatchObject({ version: 1, protocol_version: '2025-11-25', tools: [{ name: 'echo' }] });
    expect(snapshot?.digest).toBe(snapshot?.tools_digest);
  });

  it('CP-118 CP-289 the token rests sealed, in its own place', async () => {
    const { id } = connectionIn(await create(mcp()));
    const { rows: found } = await api.database.owner.query<{ sealed: Buffer; version: number; row: string }>(
      `select credential_sealed as sealed, credential_key_version as version, row_to_json(c)::text as row
         from integration_connections c where id = $1`,
      [id],
    );
    expect(found[0]?.version).toBe(2);
    expect(found[0]?.sealed.includes(TOKEN)).toBe(false);
    expect(found[0]?.row).not.toContain(TOKEN);
  });

  it.each<[string, object]>([
    ['another provider', { provider: 'jira' }],
    ['no provider', { provider: undefined }],
    ['another kind of authorization', { auth_kind: 'none' }],
    ['no token', { token: undefined }],
    ['an empty token', { token: ' ' }],
    ['a token beside oauth', { auth_kind: 'oauth' }],
    ['a client secret without oauth', { client_secret: 's', client_id: 'c' }],
    ['another scheme', { scheme: 'Digest' }],
    ['a header of the protocol', { header_name: 'Mcp-Session-Id' }],
    ['no address', { base_url: undefined }],
    ['another owner', { owner: 'team' }],
    ['a label that is no text', { display_name: 7 }],
  ])('CP-117 CP-120 CP-248 refuses %s with 400 and stores nothing', async (_what, change) => {
    const before = await rows();
    const answer = await create(mcp(change));
    expect([answer.status, typeof answer.body.error]).toEqual([400, 'string']);
    expect(answer.text).not.toContain(TOKEN);
    expect(await rows()).toBe(before);
  });

  it('CP-117 names the providers that there are', async () => {
    expect((await create(mcp({ provider: 'jira' }))).body.error).toBe(
      'provider: must be one of codehost, codehost_app, mcp_http',
    );
  });

  it.each([
    ['http://169.254.169.254/mcp', 'private/loopback/link-local'],
    ['https://10.1.2.3/mcp', 'private/loopback/link-local'],
    ['http://example.com@127.0.0.1/', 'URL with user or password'],
    ['ftp://example.com/', 'not an http(s) URL'],
    ['nonsense', 'malformed URL'],
  ])('CP-119 refuses to keep a credential for %s', async (base_url, reason) => {
    const answer = await create(mcp({ base_url }));
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(`base_url rejected: ${reason}`)]);
  });

  it('a refused credential leaves nothing behind', async () => {
    const before = await rows();
    const answer = await create(mcp({ token: 'wrong-token-0123456789' }));
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain('rejected this credential (connection rolled back)');
    expect(answer.text).not.toContain('wrong-token');
    expect(await rows()).toBe(before);
  });

  it('CP-254 a server whose listing never ends leaves nothing behind', async () => {
    const before = await rows();
    server.always('tools/list', { kind: 'answer', result: { tools: [], nextCursor: 'again' } });
    const answer = await create(mcp());
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('(connection rolled back)')]);
    expect(await rows()).toBe(before);
  });

  it('CP-121 CP-151 an OAuth connection is pending, knows what it will ask for, and says where to go on', async () => {
    const answer = await create({
      provider: 'mcp_http',
      base_url: 'https://MCP.example.com:443/v1/mcp/',
      auth_kind: 'oauth',
      scopes: ['read', 'write'],
      client_id: 'by-hand',
      client_secret: 'client-secret-0123456789',
    });
    expect(answer.text).not.toContain('client-secret');
    const connection = connectionIn(answer);
    expect(connection).toMatchObject({
      status: 'pending',
      auth_kind: 'oauth',
      scopes: ['read', 'write'],
      authorization_generation: 1,
      next: `/v1/connections/${connection.id}/oauth/start`,
      oauth: {
        resource: 'https://mcp.example.com/v1/mcp',
        scopes: ['read', 'write'],
        client_id: 'by-hand',
        client_id_source: 'preregistered',
        pending_snapshot: { url: 'https://MCP.example.com:443/v1/mcp/' },
      },
    });
    expect(connection.snapshot).toBeUndefined();
  });

  it('CP-122 CP-249 belongs to the organization unless asked otherwise, which takes an administrator', async () => {
    for (const owner of [undefined, null, '', 'organization']) {
      const refused = await create(mcp({ owner }), member.token);
      expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('role admin or owner')]);
    }
    const mine = connectionIn(await create(mcp({ owner: 'personal' }), member.token));
    expect(mine).toMatchObject({
      owner: 'personal',
      owner_type: 'user',
      owner_user_id: member.userId,
      created_by_user_id: member.userId,
    });
    const ours = connectionIn(await create(mcp({ owner: 'organization' }), admin.token));
    expect(ours).toMatchObject({ owner: 'organization', owner_user_id: null, created_by_user_id: admin.userId });
  });

  it('CP-249 decides who may before it looks at what was sent', async () => {
    const answer = await create({ provider: 5, token: [], base_url: 'nonsense' }, member.token);
    expect(answer.status).toBe(403);
  });

  it('CP-258 the admin token cannot own a personal connection', async () => {
    const answer = await create(mcp({ owner: 'personal' }));
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('no personal identity')]);
  });

  it('CP-248 401 without a credential', async () => {
    expect((await api.post('/v1/connections', mcp(), { token: null })).status).toBe(401);
  });
});

describe('without a sealing key', () => {
  let keyless: TestApi;
  beforeAll(async () => {
    keyless = await startConnectionsApi({ SERVICE_KMS_MODE: 'off' });
  });
  afterAll(() => keyless.close());

  it('CP-057 every kind of connection is 503, after who may is decided; reading goes on', async () => {
    const plain = await keyless.addUser('member');
    for (const body of [
      mcp(),
      { ...mcp(), token: undefined, auth_kind: 'oauth' },
      { provider: 'codehost', token: 'x' },
    ]) {
      const answer = await keyless.post('/v1/connections', body);
      expect([answer.status, answer.body.error]).toEqual([503, expect.stringContaining('SERVICE_CREDENTIAL_KEY')]);
      expect((await keyless.post('/v1/connections', body, plain)).status).toBe(403);
    }
    expect((await keyless.get('/v1/connections')).body).toEqual({ connections: [] });
  });
});
