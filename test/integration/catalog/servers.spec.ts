import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import type { Answer, TestApi } from '../../support/api/api.js';
import { startConnectionsApi } from '../../support/connections/connections-api.js';
import { ECHO, HostileServer } from '../../support/mcp/hostile-server.js';
import { OAuthDescribedServer } from '../../support/oauth/oauth-described-server.js';

type Probed = Schemas['ProbedServer'];
type Added = Schemas['AddedServer'];

const KEY = 'key_5up3r-s3cret_0123456789';

let api: TestApi;
let server: HostileServer;
let issuer: OAuthDescribedServer;
beforeAll(async () => {
  [api, server, issuer] = await Promise.all([
    startConnectionsApi(),
    HostileServer.start(),
    OAuthDescribedServer.start(),
  ]);
});
afterAll(async () => {
  await api.close();
  await server.close();
  await issuer.close();
});
afterEach(() => {
  server.authorization = undefined;
  server.protocolVersion = '2025-11-25';
  server.tools = [ECHO];
  server.arrivals.length = 0;
});

const probe = async (url: string): Promise<Probed> => {
  const answer = await api.post('/v1/mcp/probe', { url });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body as unknown as Probed;
};
const addServer = (body: object): Promise<Answer> => api.post('/v1/mcp/servers', body);
const added = (answer: Answer): Added => {
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body as unknown as Added;
};
const ownSlugs = async (): Promise<string[]> => {
  const { connectors } = (await api.get('/v1/catalog')).body as unknown as Schemas['CatalogList'];
  return connectors.filter(({ tier }) => tier === 'custom').map(({ slug }) => slug);
};

describe('probing a server', () => {
  it('an open one shows its tools, and its upstream session is ended', async () => {
    expect(await probe(server.url)).toMatchObject({
      url: server.url,
      transport: 'streamable_http',
      reachable: true,
      auth_mode: 'none',
      oauth_available: false,
      static_possible: false,
      tools_preview: [{ name: 'echo', description: 'Answers with its arguments.' }],
      tools_truncated: false,
      oauth: null,
    });
    expect(server.openSessions).toBe(0);
    expect(server.arrivals.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  it('one that asks for a credential and names nobody who issues it takes a key', async () => {
    server.authorization = `Bearer ${KEY}`;
    expect(await probe(server.url)).toMatchObject({
      reachable: true,
      auth_mode: 'api_key',
      oauth_available: false,
      static_possible: true,
      auth_hints: { scheme: 'Bearer' },
      tools_preview: [],
    });
  });

  it('one that names its issuer is authorized there', async () => {
    expect(await probe(issuer.url)).toMatchObject({
      reachable: true,
      auth_mode: 'oauth',
      oauth_available: true,
      oauth: {
        issuer: issuer.origin,
        authorization_endpoint: `${issuer.origin}/authorize`,
        scopes_supported: ['read', 'offline_access'],
      },
    });
  });

  it('says what is wrong with one that cannot be connected', async () => {
    server.protocolVersion = '2024-11-05';
    const old = await probe(server.url);
    expect([old.reachable, old.auth_mode]).toEqual([false, null]);
    expect(old.notes).toEqual([expect.stringMatching(/unsupported protocol version 2024-11-05/)]);
    const closed = await probe('https://169.254.169.254/mcp');
    expect([closed.reachable, closed.notes]).toEqual([false, [expect.stringMatching(/^base_url rejected: /)]]);
    const port = await probe('http://127.0.0.1:1/mcp');
    expect([port.reachable, port.notes.length]).toEqual([false, 1]);
    expect((await api.post('/v1/mcp/probe', { url: 'nowhere' })).status).toBe(400);
    expect((await api.post('/v1/mcp/probe', {})).status).toBe(400);
  });

  it('shows at most 64 tools, none of their hidden text, and says what a snapshot would be refused for', async () => {
    server.protocolVersion = '2025-11-25';
    server.tools = Array.from({ length: 70 }, (_, index) => ({ ...ECHO, name: `tool-${index}` }));
    const many = await probe(server.url);
    expect([many.tools_preview.length, many.tools_truncated]).toEqual([64, true]);
    expect(many.notes.join(' ')).toMatch(/Connecting would be refused: .*64 tools/);
    server.tools = [{ ...ECHO, description: 'reads\u200b nothing' }];
    const hidden = await probe(server.url);
    expect(hidden.tools_preview).toEqual([{ name: 'echo', description: '' }]);
    expect(hidden.notes.join(' ')).toMatch(/Connecting would be refused: .*U\+200B/);
  });

  it('stores nothing', async () => {
    const count = `select (select count(*) from connector_catalog where tenant_id is not null) as a, (select count(*) from integration_connections) as b`;
    const before = (await api.database.owner.query<object>(count)).rows;
    await probe(server.url);
    await probe(issuer.url);
    expect((await api.database.owner.query<object>(count)).rows).toEqual(before);
  });
});

describe('adding a server', () => {
  it('makes the entry and the connection in one request, and finds a free slug', async () => {
    const first = added(
      await addServer({ url: server.url, name: 'Tracker', token: KEY, header_name: 'X-Key', scheme: '' }),
    );
    expect([first.slug, first.connector.auth_mode, first.connector.tier]).toEqual(['tracker', 'api_key', 'custom']);
    expect(first.connection).toMatchObject({
      status: 'active',
      metadata: { catalog_slug: 'tracker', header_name: 'X-Key' },
    });
    expect(first.snapshot?.tools.map(({ name }) => name)).toEqual(['echo']);
    expect(added(await addServer({ url: server.url, name: 'Tracker' })).slug).toBe('tracker-2');
    // A global entry is not shadowed by accident.
    expect(added(await addServer({ url: server.url, name: 'GitHub' })).slug).toBe('github-2');
    expect(added(await addServer({ url: server.url })).slug).toMatch(/^127-0-0-1-[0-9]+$/);
    const oauth = added(await addServer({ url: issuer.url, name: '日本', auth_mode: 'oauth', scopes: ['read'] }));
    expect([oauth.slug, oauth.connection?.status, oauth.connection?.scopes]).toEqual([
      'mcp-server',
      'pending',
      ['read'],
    ]);
    expect(oauth.go_url).toMatch(/\/v1\/oauth\/go\?f=/);
  });

  it('CP-158 leaves no entry behind when the connect fails', async () => {
    server.authorization = `Bearer ${KEY}`;
    const before = await ownSlugs();
    for (const body of [
      { url: server.url, name: 'Refused', token: 'wrong-key-0123456789' },
      { url: server.url, name: 'Refused' },
      { url: 'http://127.0.0.1:1/mcp', name: 'Refused' },
      { url: server.url, name: 'Refused', auth_mode: 'basic', token: KEY },
      { url: server.url, name: 'Refused', owner: 'personal', token: KEY },
      { url: 'https://10.0.0.1/mcp', name: 'Refused' },
    ]) {
      const answer = await addServer(body);
      expect([answer.status, typeof answer.body.error]).toEqual([400, 'string']);
    }
    expect(await ownSlugs()).toEqual(before);
  });
});
