import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConnectBench, type Visitor } from '../../support/oauth/connect-bench.js';
import { grant, type ScriptedAnswer } from '../../support/oauth/scripted-issuer.js';

/** What no refusal may repeat: a text of a server or of a person, as it came. */
const MARK = '<i>UPSTREAM-WORDS</i>';

let bench: ConnectBench;
let metadata: Record<string, unknown>;
beforeAll(async () => {
  bench = await ConnectBench.start({ SERVICE_PUBLIC_URL: 'http://127.0.0.1:8787' });
  metadata = { ...bench.issuer.metadata };
});
beforeEach(async () => {
  bench.issuer.metadata = { ...metadata };
  bench.issuer.token = () => grant();
  bench.issuer.register = () => ({ status: 201, body: { client_id: 'client' } });
  bench.issuer.tokenCalls.length = 0;
  bench.mcp.accepts = () => true;
  bench.mcp.challenge = null;
  bench.protect();
  await bench.api.database.owner.query('delete from oauth_client_registrations');
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
    expect(await flowsOf(id)).toBe(0);
  });

  it('an MCP address inside, whose metadata is not even asked for', async () => {
    const { id } = await bench.connection({ url: 'http://10.1.2.3/mcp' });
    const started = await bench.start(id);
    expect([started.status, started.body.error]).toEqual([400, expect.stringContaining('base_url rejected: ')]);
  });

  it('positive control: the same servers as they should be', async () => {
    const { id } = await bench.connection();
    expect((await bench.start(id)).status).toBe(200);
    expect(await flowsOf(id)).toBe(1);
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
    expect(await flowsOf(id)).toBe(0);
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
    await expire(id);
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

describe('the callback connects nothing', () => {
  type Arrange = (authorization: URL, visitor: Visitor) => string | Promise<string>;
  const with_ =
    (more: Record<string, string | null>): Arrange =>
    (authorization) =>
      bench.callback(authorization, more);
  const kept: [string, Arrange, number, RegExp][] = [
    ['without the cookie', (a, v) => forget(v, bench.callback(a)), 400, /did not start the connect flow/],
    ['with an empty cookie', (a, v) => ((v.cookie = ''), bench.callback(a)), 400, /did not start the connect flow/],
    [
      'with the cookie of another browser',
      (a, v) => ((v.cookie = 'x'.repeat(43)), bench.callback(a)),
      403,
      /not started by this browser/,
    ],
    ['without a state', with_({ state: null }), 400, /lacks its state/],
    ['with an empty state', with_({ state: '' }), 400, /lacks its state/],
    ['with two states', (a) => `${bench.callback(a)}&state=x`, 400, /lacks its state/],
    ['with an unknown state', with_({ state: 'y'.repeat(43) }), 400, /invalid, has expired or was already used/],
    [
      'with a state of another case',
      (a) => swapCase(bench.callback(a)),
      400,
      /invalid, has expired or was already used/,
    ],
  ];
  it.each(kept)('%s, and keeps the flow', async (_, arrange, status, text) => {
    const { id, visitor, authorization } = await opened();
    const cookie = visitor.cookie;
    await refused(await visitor.get(await arrange(authorization, visitor)), status, text);
    visitor.cookie = cookie;
    expect((await visitor.get(bench.callback(authorization))).status).toBe(200);
    expect((await bench.read(id)).status).toBe('active');
  });

  const burned: [string, Arrange, RegExp][] = [
    [
      'when consent was denied',
      with_({ code: null, error: 'access_denied', error_description: MARK }),
      /did not grant access/,
    ],
    ['when the error is no known one', with_({ error: MARK }), /did not grant access/],
    ['without a code', with_({ code: null }), /holds no code/],
    ['with an empty code', with_({ code: '' }), /holds no code/],
    ['without the iss that the server promised', with_({ iss: null }), /did not come from the authorization server/],
    [
      'with the iss of another server',
      with_({ iss: 'https://evil.example' }),
      /did not come from the authorization server/,
    ],
    ['with an iss that differs by a slash', with_({ iss: 'SLASH' }), /did not come from the authorization server/],
    [
      'with an error of another server',
      with_({ error: 'access_denied', iss: 'https://evil.example' }),
      /did not come from/,
    ],
    ['with two codes', (a) => `${bench.callback(a)}&code=other`, /did not come from|holds no code|did not give/],
    ['with two iss', (a) => `${bench.callback(a)}&iss=https%3A%2F%2Fevil.example`, /did not come from/],
    [
      'at the address of another server',
      (a) => bench.callback(a).replace('/callback?', '/callback/abc?'),
      /did not come from/,
    ],
    ['with a signed response that nobody asked for', (a) => `${bench.callback(a)}&response=x`, /did not come from/],
    ['with an ID token in the address', (a) => `${bench.callback(a)}&id_token=x`, /did not come from/],
  ];
  it.each(burned)('%s, and ends the flow', async (_, arrange, text) => {
    const { id, visitor, authorization } = await opened();
    const url = (await arrange(authorization, visitor)).replace('SLASH', encodeURIComponent(`${bench.issuer.url}/`));
    const answer = await visitor.get(url);
    await refused(answer, 400, text);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-svc_oauth_flow=; .*Max-Age=0/);
    expect(visitor.cookie).toBeNull();
    await stays(id);
  });

  const answers: [string, ScriptedAnswer, RegExp][] = [
    [
      'an error of the token endpoint',
      { status: 400, body: { error: 'invalid_grant', error_description: MARK } },
      /did not give a token/,
    ],
    ['a server error', { status: 500, body: MARK }, /did not give a token/],
    ['a redirect', { status: 307, body: {}, headers: { location: '/token' } }, /did not give a token/],
    ['no JSON', { status: 200, body: MARK, headers: { 'content-type': 'text/html' } }, /did not give a token/],
    ['broken JSON', { status: 200, body: '{' }, /did not give a token/],
    ['more than 256 KiB', { status: 200, body: { padding: 'x'.repeat(300_000) } }, /did not give a token/],
    ['no access token', { status: 200, body: { refresh_token: 'r', token_type: 'Bearer' } }, /did not give a token/],
    ['an access token that is no text', grant({ access_token: 7 }), /did not give a token/],
    ['an access token with a line end', grant({ access_token: 'a\r\nx: y' }), /did not give a token/],
    ['a token of another type', grant({ token_type: 'DPoP' }), /did not give a token/],
    ['no token type', grant({ token_type: undefined }), /did not give a token/],
    ['no refresh token', grant({ refresh_token: undefined }), /gave no refresh token/],
    ['a lifetime that is no number', grant({ expires_in: 'soon' }), /did not give a token/],
    [
      'an unknown client',
      { status: 401, body: { error: 'invalid_client' }, headers: { 'www-authenticate': 'Basic' } },
      /does not accept this Sandgate/,
    ],
  ];
  it.each(answers)('when the exchange brings %s, and ends the flow', async (_, answer, text) => {
    const { id, visitor, authorization } = await opened();
    bench.issuer.token = () => answer;
    await refused(await visitor.get(bench.callback(authorization)), 400, text);
    expect(bench.issuer.tokenCalls).toHaveLength(1);
    await stays(id);
  });

  it('a client that its server forgot is registered anew by the next flow; the code is not tried again', async () => {
    const { visitor, authorization } = await opened();
    bench.issuer.token = () => ({ status: 401, body: { error: 'invalid_client' } });
    await visitor.get(bench.callback(authorization));
    const before = bench.issuer.registrations.length;
    bench.issuer.register = () => ({ status: 201, body: { client_id: 'another-client' } });
    const again = await opened();
    expect(bench.issuer.registrations).toHaveLength(before + 1);
    expect(again.authorization.searchParams.get('client_id')).toBe('another-client');
  });

  it('a second time', async () => {
    const { visitor, authorization } = await opened();
    const cookie = visitor.cookie;
    expect((await visitor.get(bench.callback(authorization))).status).toBe(200);
    visitor.cookie = cookie;
    await refused(await visitor.get(bench.callback(authorization)), 400, /already used/);
  });

  it('twice at once: one connects', async () => {
    const { visitor, authorization } = await opened();
    const url = bench.callback(authorization);
    const statuses = await Promise.all([visitor.get(url), visitor.get(url), visitor.get(url)]);
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  it('when its time is over', async () => {
    const { id, visitor, authorization } = await opened();
    await expire(id);
    await refused(await visitor.get(bench.callback(authorization)), 400, /has expired/);
  });

  it('before anybody clicked', async () => {
    const { id } = await bench.connection();
    const visitor = bench.visitor();
    const goUrl = await bench.goUrl(id);
    const authorization = await bench.visitor().follow(goUrl);
    await visitor.get(goUrl);
    await refused(await visitor.get(bench.callback(authorization)), 403, /not started by this browser/);
  });

  it('when the connection was revoked meanwhile, and asks for no token', async () => {
    const { id, visitor, authorization } = await opened();
    await bench.records.revoke(bench.api.organizationId, id);
    await refused(await visitor.get(bench.callback(authorization)), 400, /no longer exists or was revoked/);
    expect(bench.issuer.tokenCalls).toEqual([]);
  });

  it.each([
    ['left the organization', `status = 'deactivated', deactivated_at = now()`],
    ['is no administrator any more', `roles = '{member}'`],
  ])('when whoever started the flow %s meanwhile, and asks for no token', async (_, change) => {
    const admin = await bench.api.addUser('admin');
    const { id } = await bench.connection();
    const [goUrl, later] = [await bench.goUrl(id, admin.token), await bench.goUrl(id, admin.token)];
    const visitor = bench.visitor();
    const authorization = await visitor.follow(goUrl);
    await bench.api.db.withTenant(bench.api.organizationId, (tx) =>
      tx.query(`update org_memberships set ${change} where user_id = $1`, [admin.userId]),
    );
    await refused(await bench.visitor().get(later), 400, /may no longer change it/);
    await refused(await visitor.get(bench.callback(authorization)), 400, /may no longer change it/);
    expect([bench.issuer.tokenCalls, (await bench.read(id)).status]).toEqual([[], 'pending']);
  });

  it('when the tools cannot be read: the connection is visibly incomplete', async () => {
    const { id, visitor, authorization } = await opened();
    bench.mcp.accepts = () => false;
    await refused(await visitor.get(bench.callback(authorization)), 400, /tools of the server could not be read/);
    expect(await bench.read(id)).toMatchObject({
      status: 'error',
      oauth: { error: expect.stringMatching(/connect it again/) },
    });
  });

  it('an answer for a client that prefers JSON has the same status and one error text', async () => {
    const { visitor, authorization } = await opened();
    const answer = await visitor.get(bench.callback(authorization, { code: null }), { accept: 'application/json' });
    expect([answer.status, await answer.json()]).toEqual([400, { error: expect.stringMatching(/holds no code/) }]);
  });
});

describe('issuers that do not name themselves', () => {
  beforeEach(() => {
    bench.issuer.metadata['authorization_response_iss_parameter_supported'] = false;
  });

  it('CP-260 have a callback of their own under the public address, registered with them', async () => {
    const { id, visitor, authorization } = await opened();
    const redirectUri = authorization.searchParams.get('redirect_uri');
    expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:8787\/v1\/oauth\/callback\/[\w-]{22}$/);
    expect(bench.issuer.registrations.at(-1)).toMatchObject({ redirect_uris: [redirectUri] });
    expect((await visitor.get(bench.callback(authorization))).status).toBe(200);
    expect((await bench.read(id)).oauth?.redirect_uri).toBe(redirectUri);
  });

  it('cannot have their answers taken for those of another: neither at the shared address nor with an iss that is not theirs', async () => {
    const first = await opened();
    const shared = bench.callback(first.authorization).replace(/\/callback\/[\w-]+/, '/callback');
    await refused(await first.visitor.get(shared), 400, /did not come from the authorization server/);
    const second = await opened();
    const other = bench.callback(second.authorization, { iss: 'https://evil.example' });
    await refused(await second.visitor.get(other), 400, /did not come from the authorization server/);
    expect(bench.issuer.tokenCalls).toEqual([]);
  });
});

async function opened(): Promise<{ id: string; visitor: Visitor; authorization: URL }> {
  const { id } = await bench.connection();
  const visitor = bench.visitor();
  return { id, visitor, authorization: await visitor.follow(await bench.goUrl(id)) };
}

async function refused(answer: Response, status: number, text: RegExp): Promise<void> {
  const page = await answer.text();
  expect([answer.status, page]).toEqual([status, expect.stringMatching(text)]);
  expect(page).toContain('<h1>Connection failed</h1>');
  expect(page).not.toContain('UPSTREAM-WORDS');
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*form-action 'none'$/);
}

async function stays(id: string): Promise<void> {
  const connection = await bench.read(id);
  expect([connection.status, connection.authorization_generation]).toEqual(['pending', 1]);
}

async function flowsOf(id: string): Promise<number> {
  const { rows } = await bench.api.database.owner.query(
    'select 1 from connector_oauth_flows where connection_id = $1',
    [id],
  );
  return rows.length;
}

async function expire(id: string): Promise<void> {
  await bench.api.database.owner.query('update connector_oauth_flows set expires_at = now() where connection_id = $1', [
    id,
  ]);
}

function forget(visitor: Visitor, url: string): string {
  visitor.cookie = null;
  return url;
}

function swapCase(url: string): string {
  const changed = new URL(url);
  const state = changed.searchParams.get('state') ?? '';
  changed.searchParams.set(
    'state',
    state.replace(/[a-zA-Z]/, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())),
  );
  return changed.href;
}
