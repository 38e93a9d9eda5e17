import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConnectBench } from '../../support/oauth/connect-bench.js';
import { type ScriptedAnswer } from '../../support/oauth/scripted-issuer.js';
import { MARK, refused } from '../../support/oauth/refused-page.js';

let bench: ConnectBench;
beforeAll(async () => {
  bench = await ConnectBench.start({ SERVICE_PUBLIC_URL: 'http://127.0.0.1:8787' });
});
beforeEach(() => {
  bench.reset();
  return bench.forgetClients();
});
afterAll(() => bench.close());

describe('discovery refuses, and starts no flow', () => {
  const without = (name: string) => () => delete bench.issuer.metadata[name];
  const having = (name: string, value: unknown) => () => (bench.issuer.metadata[name] = value);
  const cases: [string, () => unknown, RegExp][] = [
    ['metadata without an authorization endpoint', without('authorization_endpoint'), /lacks authorization_endpoint/],
    ['metadata without a token endpoint', without('token_endpoint'), /lacks token_endpoint/],
    ['metadata without PKCE methods', without('code_challenge_methods_supported'), /PKCE with S256/],
    ['PKCE in the clear only', having('code_challenge_methods_supported', ['plain']), /PKCE with S256/],
    ['PKCE methods that are no list', having('code_challenge_methods_supported', 'S256'), /PKCE with S256/],
    ['metadata without an issuer', without('issuer'), /names no issuer/],
    ['a blank issuer', having('issuer', ' '), /names no issuer/],
    ['an issuer that is no text', having('issuer', { url: 'https://x.test' }), /names no issuer/],
    ['an issuer on another origin', having('issuer', 'https://accounts.example.com'), /issuer on another origin/],
    ['an issuer on another port', having('issuer', 'http://127.0.0.1:1'), /issuer on another origin/],
    ['an issuer that is no address', having('issuer', 'accounts'), /issuer on another origin/],
    [
      'a script as authorization endpoint',
      having('authorization_endpoint', `javascript:alert("${MARK}")`),
      /unusable auth/,
    ],
    ['data as authorization endpoint', having('authorization_endpoint', 'data:text/html,x'), /unusable auth/],
    ['a relative authorization endpoint', having('authorization_endpoint', '/authorize'), /malformed auth/],
    ['an endpoint with credentials', having('token_endpoint', 'http://a:b@127.0.0.1/token'), /unusable token_endpoint/],
    ['an endpoint that is no text', having('token_endpoint', 7), /malformed token_endpoint/],
    ['a server that registers nobody', without('registration_endpoint'), /^client_id: .*redirect address http:\/\/127/],
    ['metadata that is a list', () => (bench.issuer.metadata = [MARK] as never), /no authorization server metadata/],
    [
      'metadata of the resource that names another resource',
      () => bench.protect('http://127.0.0.1:9/mcp'),
      /no authorization server metadata was found/,
    ],
    [
      'metadata of the resource for the whole origin',
      () => bench.protect(bench.mcp.url),
      /no authorization server metadata was found/,
    ],
    [
      'a challenge that points to metadata of another resource',
      () => {
        bench.mcp.documents.clear();
        bench.mcp.documents.set('/.well-known/elsewhere', {
          resource: 'https://bank.example',
          authorization_servers: [bench.issuer.url],
        });
        bench.mcp.challenge = `Bearer resource_metadata="${bench.mcp.url}/.well-known/elsewhere"`;
      },
      /no authorization server metadata was found/,
    ],
    [
      'a resource whose authorization server is a private address',
      () =>
        bench.mcp.documents.set('/.well-known/oauth-protected-resource/mcp', {
          resource: bench.mcp.endpoint,
          authorization_servers: ['http://169.254.169.254'],
        }),
      /no authorization server metadata was found at 169\.254\.169\.254/,
    ],
    [
      'a resource whose authorization server does not answer',
      () =>
        bench.mcp.documents.set('/.well-known/oauth-protected-resource/mcp', {
          resource: bench.mcp.endpoint,
          authorization_servers: ['http://127.0.0.1:9'],
        }),
      /no authorization server metadata was found at 127\.0\.0\.1:9: the host refused the connection/,
    ],
    ['a registration that is refused', () => registers({ status: 400, body: { error: MARK } }), /did not register/],
    ['a registration that is no JSON', () => registers({ status: 201, body: MARK }), /did not register/],
    ['a registration without a client id', () => registers({ status: 201, body: {} }), /holds no client_id/],
    [
      'a registration that wants signed assertions',
      () => registers({ status: 201, body: { client_id: 'c', token_endpoint_auth_method: 'private_key_jwt' } }),
      /client authentication/,
    ],
    ['a registration endpoint inside', having('registration_endpoint', 'http://10.0.0.1/r'), /private\/loopback/],
  ];

  it.each(cases)('%s', async (_, arrange, text) => {
    arrange();
    const { id } = await bench.connection();
    const started = await bench.start(id);
    expect([started.status, started.body.error]).toEqual([400, expect.stringMatching(text)]);
    expect(started.text).not.toContain('UPSTREAM-WORDS');
    expect(await bench.flowsOf(id)).toBe(0);
  });

  it('an MCP address inside, whose metadata is not even asked for', async () => {
    const { id } = await bench.connection({ url: 'http://10.1.2.3/mcp' });
    const started = await bench.start(id);
    expect([started.status, started.body.error]).toEqual([400, expect.stringContaining('base_url rejected: ')]);
  });

  it('positive control: the same servers as they should be', async () => {
    const { id } = await bench.connection();
    expect((await bench.start(id)).status).toBe(200);
    expect(await bench.flowsOf(id)).toBe(1);
  });
});

function registers(answer: ScriptedAnswer): void {
  bench.issuer.register = () => answer;
}

describe('starting is refused', () => {
  it('for a connection that is revoked', async () => {
    const { id } = await bench.connection();
    await bench.records.revoke(bench.api.organizationId, id);
    expect((await bench.start(id)).status).toBe(409);
  });

  it('for what does not exist, for a malformed id and for what is not of OAuth', async () => {
    expect((await bench.start('0198c0de-0000-7000-8000-000000000000')).status).toBe(404);
    expect((await bench.start('nothing')).status).toBe(404);
    const { rows } = await bench.api.database.owner.query<{ id: string }>(
      `insert into integration_connections (id, tenant_id, provider, external_account_id, display_name, status, auth_kind, owner_type)
       values (gen_random_uuid(), $1, 'mcp_http', 'x', 'x', 'active', 'static', 'organization') returning id`,
      [bench.api.organizationId],
    );
    const started = await bench.start(rows[0]?.id ?? '');
    expect([started.status, started.body.error]).toEqual([400, expect.stringContaining('not authorized by OAuth')]);
  });

  it("for another person's connection as for one that does not exist, and for a member on the organization's", async () => {
    const [owner, other] = [await bench.api.addUser('member'), await bench.api.addUser('owner')];
    const personal = await bench.connection({ owner });
    expect((await bench.start(personal.id, other.token)).status).toBe(404);
    expect((await bench.start(personal.id)).status).toBe(404);
    expect((await bench.start(personal.id, owner.token)).status).toBe(200);
    const shared = await bench.connection();
    expect((await bench.start(shared.id, owner.token)).status).toBe(403);
  });

  it('when somebody authorized the connection while it was being discovered', async () => {
    const { id } = await bench.connection();
    bench.issuer.register = async () => {
      await bench.api.database.owner.query(
        `update integration_connections set oauth = oauth || '{"activated_at":"2026-01-01T00:00:00Z"}' where id = $1`,
        [id],
      );
      return { status: 201, body: { client_id: 'client' } };
    };
    const started = await bench.start(id);
    expect([started.status, started.body.error]).toEqual([409, expect.stringContaining('superseded')]);
    expect(await bench.flowsOf(id)).toBe(0);
  });
});

describe('the link is refused', () => {
  const links: [string, (goUrl: string) => string][] = [
    ['without its token', () => '/v1/oauth/go'],
    ['with another text', () => '/v1/oauth/go?f=abcdef'],
    ['with a token that is far too long', () => `/v1/oauth/go?f=${'A'.repeat(7000)}`],
    ['with two tokens', (goUrl) => `${goUrl}&f=x`],
    ['with one flipped character', (goUrl) => goUrl.replace(/.(?=.{9}$)/, (c) => (c === 'A' ? 'B' : 'A'))],
    ['cut short', (goUrl) => goUrl.slice(0, -4)],
  ];
  it.each(links)('%s', async (_, change) => {
    const { id } = await bench.connection();
    await refused(await bench.visitor().get(change(await bench.goUrl(id))), 400, /expired or was already used/);
  });

  it('when its time is over', async () => {
    const { id } = await bench.connection();
    const goUrl = await bench.goUrl(id);
    await bench.expire(id);
    await refused(await bench.visitor().get(goUrl), 400, /expired or was already used/);
  });

  it('when the connection was revoked meanwhile', async () => {
    const { id } = await bench.connection();
    const goUrl = await bench.goUrl(id);
    await bench.records.revoke(bench.api.organizationId, id);
    await refused(await bench.visitor().get(goUrl), 400, /no longer exists or was revoked/);
  });

  it('to a click without the page, from another site, or in another browser than the first', async () => {
    const { id } = await bench.connection();
    const goUrl = await bench.goUrl(id);
    await refused(await bench.visitor().click(goUrl), 403, /not opened in this browser/);
    const [first, second] = [bench.visitor(), bench.visitor()];
    await first.get(goUrl);
    await second.get(goUrl);
    await refused(await first.click(goUrl, { 'sec-fetch-site': 'cross-site' }), 403, /not opened in this browser/);
    expect((await first.click(goUrl)).status).toBe(303);
    // The same browser may go back and on again.
    expect((await first.click(goUrl)).status).toBe(303);
    await refused(await second.click(goUrl), 400, /already used in another browser/);
  });

  it('to a form elsewhere: only the page itself takes forms', async () => {
    const answer = await bench.api.call('POST', '/v1/policies/validate', {
      raw: 'f=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(answer.status).toBe(415);
  });
});
