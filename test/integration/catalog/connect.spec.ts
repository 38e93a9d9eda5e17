import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { insertCustom } from '../../../src/core/catalog/connector-queries.js';
import type { Schemas } from '../../../src/client/client.js';
import { parseConnector } from '../../../src/domain/catalog/parse-connector.js';
import { startApi, type Answer, type TestApi } from '../../support/api/api.js';
import { startConnectionsApi } from '../../support/connections/connections-api.js';
import { HostileServer } from '../../support/mcp/hostile-server.js';
import { OAuthDescribedServer } from '../../support/oauth/oauth-described-server.js';
import { createOrganization } from '../../support/runs/run-fixture.js';
import type { TestUser } from '../../support/api/users.js';

type Connected = Schemas['ConnectedConnector'];
type Entry = Schemas['CatalogEntry'];

const KEY = 'key_5up3r-s3cret_0123456789';

let api: TestApi;
let server: HostileServer;
let issuer: OAuthDescribedServer;
let member: TestUser;
let admin: TestUser;
beforeAll(async () => {
  [api, server, issuer] = await Promise.all([
    startConnectionsApi(),
    HostileServer.start(),
    OAuthDescribedServer.start(),
  ]);
  [member, admin] = [await api.addUser('member'), await api.addUser('admin')];
});
afterAll(async () => {
  await api.close();
  await server.close();
  await issuer.close();
});
afterEach(() => {
  server.authorization = undefined;
  server.arrivals.length = 0;
  issuer.silent = false;
});

const connect = (slug: string, body?: object, token?: string): Promise<Answer> =>
  api.post(`/v1/catalog/${slug}/connect`, body, token === undefined ? {} : { token });
const connected = (answer: Answer): Connected => {
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body as unknown as Connected;
};
const refused = (answer: Answer): [number, string] => [answer.status, answer.body.error];
const entryOf = async (slug: string, token?: string): Promise<Entry> =>
  (await api.get(`/v1/catalog/${slug}`, token === undefined ? {} : { token })).body as unknown as Entry;

let counter = 0;
/** Adds an entry of the organization for the test's server. */
async function entry(more: object = {}): Promise<string> {
  const slug = `entry-${(counter += 1)}`;
  const answer = await api.post('/v1/catalog', { slug, name: `Entry ${counter}`, url: server.url, ...more });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return slug;
}

async function connections(): Promise<{ id: string; status: string; sealed: boolean }[]> {
  const { rows } = await api.database.owner.query<{ id: string; status: string; sealed: boolean }>(
    `select id, status, credential_sealed is not null as sealed from integration_connections order by created_at`,
  );
  return rows;
}

describe('connecting a connector by key', () => {
  it('CP-263 answers the connection and its snapshot; the key is sent as the hints say and never answered', async () => {
    const slug = await entry({ auth_mode: 'api_key', auth_hints: { header_name: 'Sentry-Bearer', scheme: '' } });
    const answer = await connect(slug, { token: ` ${KEY} `, display_name: 'Errors' });
    expect(answer.text).not.toContain(KEY);
    const { connection, snapshot } = connected(answer);
    expect(connection).toMatchObject({
      display_name: 'Errors',
      status: 'active',
      auth_kind: 'static',
      owner: 'organization',
      base_url: server.url,
      metadata: {
        base_url: server.url,
        endpoint_url: server.url,
        catalog_slug: slug,
        header_name: 'Sentry-Bearer',
        scheme: '',
      },
    });
    expect(snapshot).toMatchObject({ version: 1, protocol_version: '2025-11-25', tools: [{ name: 'echo' }] });
    expect(server.arrivals.map(({ headers }) => [headers['sentry-bearer'], headers.authorization])[0]).toEqual([
      KEY,
      undefined,
    ]);
    expect(await entryOf(slug)).toMatchObject({
      connection: { id: connection?.id, status: 'active', auth_kind: 'static' },
    });
  });

  it('CP-158 a rejected key leaves no connection, no snapshot and no secret', async () => {
    const slug = await entry({ auth_mode: 'api_key' });
    server.authorization = `Bearer ${KEY}`;
    const before = await connections();
    const answer = await connect(slug, { token: 'wrong-key-0123456789' });
    expect(refused(answer)).toEqual([
      400,
      expect.stringMatching(/rejected this credential \(connection rolled back\)/),
    ]);
    expect(answer.text).not.toContain('wrong-key');
    expect(await connections()).toEqual(before);
    const { rows } = await api.database.owner.query(
      `select 1 from connection_tool_snapshots s left join integration_connections c on c.id = s.connection_id where c.id is null`,
    );
    expect(rows).toEqual([]);
    // The right one connects.
    expect(connected(await connect(slug, { token: KEY })).connection?.status).toBe('active');
  });

  it('is refused without a key, and so is what does not belong to it', async () => {
    const slug = await entry({ auth_mode: 'api_key' });
    for (const [body, error] of [
      [{}, /^token: is required/],
      [{ token: ' ' }, /^token: must not be empty/],
      [{ token: KEY, client_id: 'x' }, /^client_id: does not belong here/],
      [{ token: KEY, scopes: ['read'] }, /^scopes: does not belong here/],
      [{ token: KEY, owner: 'team' }, /^owner: /],
      [{ token: KEY, owner: 'personal' }, /^owner: the admin token has no personal identity/],
    ] as [object, RegExp][]) {
      expect(refused(await connect(slug, body))).toEqual([400, expect.stringMatching(error)]);
    }
    expect(server.arrivals).toEqual([]);
  });

  it('CP-262 who may is asked first: a member connects for themselves alone and adds nothing to the catalog', async () => {
    const slug = await entry({ auth_mode: 'api_key', url: `${server.url}/own` });
    expect(refused(await connect(slug, { token: KEY }, member.token))[0]).toBe(403);
    expect(refused(await connect('nobody', { token: '' }, member.token))[0]).toBe(403);
    const { connection } = connected(await connect(slug, { token: KEY, owner: 'personal' }, member.token));
    expect(connection).toMatchObject({ owner: 'personal', owner_user_id: member.userId });
    // Its owner alone sees it at the entry.
    expect((await entryOf(slug, member.token)).connection?.id).toBe(connection?.id);
    expect((await entryOf(slug, admin.token)).connection).toBeNull();
    expect((await entryOf(slug)).connection).toBeNull();
    const custom = { slug: 'members-own', name: 'x', url: 'https://x.example' };
    for (const path of ['/v1/catalog', '/v1/mcp/servers']) {
      expect(refused(await api.post(path, custom, { token: member.token }))[0]).toBe(403);
    }
    expect(refused(await api.post('/v1/mcp/probe', { url: server.url }, { token: member.token }))[0]).toBe(403);
    expect((await api.post('/v1/catalog', custom, { token: admin.token })).status).toBe(200);
  });
});

describe('connecting a connector by OAuth', () => {
  it('CP-264 answers a pending connection and a go_url; an empty body is enough, an owner may be named', async () => {
    const slug = await entry({ auth_mode: 'oauth', url: issuer.url, scopes: ['read'] });
    for (const body of [undefined, {}, { owner: 'organization', scopes: ['write'] }]) {
      const { connection, go_url: goUrl, snapshot } = connected(await connect(slug, body));
      expect(connection).toMatchObject({ status: 'pending', auth_kind: 'oauth', metadata: { catalog_slug: slug } });
      expect(connection?.scopes).toEqual(body?.scopes === undefined ? ['read'] : ['read', 'write']);
      expect(new URL(goUrl ?? '').pathname).toBe('/v1/oauth/go');
      expect(snapshot).toBeUndefined();
    }
    const personal = connected(await connect(slug, { owner: 'personal' }, member.token));
    expect(personal.connection).toMatchObject({ status: 'pending', owner_user_id: member.userId });
    expect((await entryOf(slug)).connection).toMatchObject({ status: 'pending', auth_kind: 'oauth' });
  });

  it('takes no key, and leaves nothing usable when the flow cannot be started', async () => {
    const slug = await entry({ auth_mode: 'oauth', url: issuer.url });
    expect(refused(await connect(slug, { token: KEY }))).toEqual([
      400,
      expect.stringMatching(/^token: does not belong/),
    ]);
    issuer.silent = true;
    expect(refused(await connect(slug))).toEqual([400, expect.stringMatching(/^discovery failed/)]);
    expect((await connections()).at(-1)).toMatchObject({ status: 'revoked', sealed: false });
  });
});

describe('connecting what asks for no credential', () => {
  it('a server has a snapshot and is recorded as any other', async () => {
    const slug = await entry();
    const { connection, snapshot } = connected(await connect(slug));
    expect(connection).toMatchObject({ auth_kind: 'none', status: 'active', display_name: `Entry ${counter}` });
    expect(snapshot?.tools.map(({ name }) => name)).toEqual(['echo']);
    expect(refused(await connect(slug, { token: KEY }))[0]).toBe(400);
    const before = await connections();
    server.always('tools/list', { kind: 'status', status: 500 });
    expect(refused(await connect(slug))[0]).toBe(400);
    server.always('tools/list', null);
    expect(await connections()).toEqual(before);
  });

  it('a program of the sandbox becomes a bundle of the organization', async () => {
    const { bundle, servers, connection } = connected(await connect('workspace-info', { bundle_name: 'info' }));
    expect([bundle?.name, bundle?.version, connection]).toEqual(['info', 1, undefined]);
    expect(servers).toMatchObject([{ name: 'workspace-info', tool_count: 2 }]);
    expect(connected(await connect('workspace-info')).bundle).toMatchObject({ name: 'workspace-info', version: 1 });
    expect((await entryOf('workspace-info')).bundle).toMatchObject({ name: 'workspace-info', version: 1 });
    expect(refused(await connect('workspace-info', { owner: 'personal' }, member.token))).toEqual([
      400,
      'owner: workspace-info becomes a bundle, which belongs to the organization',
    ]);
  });

  it('CP-137 what the catalog suggests is nobody’s verdict: the policy of the run decides', async () => {
    connected(await connect('workspace-info'));
    expect((await entryOf('workspace-info')).tool_hints).toMatchObject([{ action: 'allow' }]);
    const yaml = 'name: strict\ndefaults: { tool_action: deny }\n';
    expect((await api.post('/v1/policies', { name: 'strict', yaml })).status).toBe(200);
    const agent = { name: 'counter', harness: 'replay', policy: 'strict', capability_bundles: ['workspace-info'] };
    expect((await api.post('/v1/agents', agent)).status).toBe(200);
    const { text } = await api.get('/v1/policies/strict');
    const rows = (JSON.parse(text) as { matrix: { tool: string; verdict: string }[] }).matrix;
    expect(rows.filter(({ tool }) => tool.startsWith('mcp__')).map(({ tool, verdict }) => [tool, verdict])).toEqual([
      ['mcp__workspace-info__workspace_file_count', 'deny'],
      ['mcp__workspace-info__workspace_grep_count', 'deny'],
    ]);
  });
});

describe('what cannot be connected', () => {
  it('an entry for reference, an unknown one, one in a closed network', async () => {
    const slug = await entry({ transport: 'rest_action', url: 'https://api.example' });
    expect((await entryOf(slug)).connectable).toBe(false);
    expect(refused(await connect(slug))).toEqual([400, expect.stringMatching(/listed for reference only/)]);
    expect(refused(await connect('nobody'))).toEqual([404, 'no such connector']);
    const closed = { slug: 'closed', name: 'Closed', url: 'https://10.0.0.1/mcp' };
    expect(refused(await api.post('/v1/catalog', closed))).toEqual([
      400,
      expect.stringMatching(/^url rejected: private/),
    ]);
  });

  it('CP-031 another organization’s entry is as if it did not exist', async () => {
    const other = await createOrganization(api.db);
    const definition = parseConnector({ slug: 'theirs', name: 'Theirs', url: server.url });
    await api.db.withTenant(other.organizationId, (tx) => insertCustom(tx, definition));
    expect(refused(await connect('theirs'))).toEqual([404, 'no such connector']);
  });

  it('CP-057 without a sealing key a key cannot be kept, and what needs none goes on', async () => {
    const bare = await startApi({ SERVICE_EGRESS_ALLOW_CIDRS: '127.0.0.0/8' });
    try {
      for (const slug of ['github', 'linear']) {
        const answer = await bare.post(`/v1/catalog/${slug}/connect`, slug === 'github' ? { token: KEY } : {});
        expect([answer.status, answer.body.error]).toEqual([503, expect.stringMatching(/sealing key/)]);
      }
      expect((await bare.post('/v1/catalog/workspace-info/connect')).status).toBe(200);
    } finally {
      await bare.close();
    }
  });
});
