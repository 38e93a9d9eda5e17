import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConnectBench, FLOW_COOKIE, type Visitor } from '../../support/oauth/connect-bench.js';
import { grant, type ScriptedAnswer } from '../../support/oauth/scripted-issuer.js';
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
    const { id, visitor, authorization } = await bench.opened();
    const cookie = visitor.cookie;
    await refused(await visitor.get(await arrange(authorization, visitor)), status, text);
    visitor.cookie = cookie;
    expect((await visitor.get(bench.callback(authorization))).status).toBe(200);
    expect((await bench.read(id)).status).toBe('active');
  });

  it.each(['/callback?', '/callback/abc?'])('at %s by HEAD, and keeps the flow', async (at) => {
    const { id, visitor, authorization } = await bench.opened();
    const { pathname, search } = new URL(bench.callback(authorization).replace('/callback?', at));
    const headers = { cookie: `${FLOW_COOKIE}=${visitor.cookie}` };
    const looked = await bench.api.call('HEAD', `${pathname}${search}`, { token: null, headers });
    expect([looked.status, looked.headers.get('allow')]).toEqual([405, 'GET, OPTIONS']);
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
    const { id, visitor, authorization } = await bench.opened();
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
    const { id, visitor, authorization } = await bench.opened();
    bench.issuer.token = () => answer;
    await refused(await visitor.get(bench.callback(authorization)), 400, text);
    expect(bench.issuer.tokenCalls).toHaveLength(1);
    await stays(id);
  });

  it('a client that its server forgot is registered anew by the next flow; the code is not tried again', async () => {
    const { visitor, authorization } = await bench.opened();
    bench.issuer.token = () => ({ status: 401, body: { error: 'invalid_client' } });
    await visitor.get(bench.callback(authorization));
    const before = bench.issuer.registrations.length;
    bench.issuer.register = () => ({ status: 201, body: { client_id: 'another-client' } });
    const again = await bench.opened();
    expect(bench.issuer.registrations).toHaveLength(before + 1);
    expect(again.authorization.searchParams.get('client_id')).toBe('another-client');
  });

  it('a second time', async () => {
    const { visitor, authorization } = await bench.opened();
    const cookie = visitor.cookie;
    expect((await visitor.get(bench.callback(authorization))).status).toBe(200);
    visitor.cookie = cookie;
    await refused(await visitor.get(bench.callback(authorization)), 400, /already used/);
  });

  it('twice at once: one connects', async () => {
    const { visitor, authorization } = await bench.opened();
    const url = bench.callback(authorization);
    const statuses = await Promise.all([visitor.get(url), visitor.get(url), visitor.get(url)]);
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  it('when its time is over', async () => {
    const { id, visitor, authorization } = await bench.opened();
    await bench.expire(id);
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
    const { id, visitor, authorization } = await bench.opened();
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
    const { id, visitor, authorization } = await bench.opened();
    bench.mcp.accepts = () => false;
    await refused(await visitor.get(bench.callback(authorization)), 400, /tools of the server could not be read/);
    expect(await bench.read(id)).toMatchObject({
      status: 'error',
      oauth: { error: expect.stringMatching(/connect it again/) },
    });
  });

  it('an answer for a client that prefers JSON has the same status and one error text', async () => {
    const { visitor, authorization } = await bench.opened();
    const answer = await visitor.get(bench.callback(authorization, { code: null }), { accept: 'application/json' });
    expect([answer.status, await answer.json()]).toEqual([400, { error: expect.stringMatching(/holds no code/) }]);
  });
});

describe('issuers that do not name themselves', () => {
  beforeEach(() => {
    bench.issuer.metadata['authorization_response_iss_parameter_supported'] = false;
  });

  it('CP-260 have a callback of their own under the public address, registered with them', async () => {
    const { id, visitor, authorization } = await bench.opened();
    const redirectUri = authorization.searchParams.get('redirect_uri');
    expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:8787\/v1\/oauth\/callback\/[\w-]{22}$/);
    expect(bench.issuer.registrations.at(-1)).toMatchObject({ redirect_uris: [redirectUri] });
    expect((await visitor.get(bench.callback(authorization))).status).toBe(200);
    expect((await bench.read(id)).oauth?.redirect_uri).toBe(redirectUri);
  });

  it('cannot have their answers taken for those of another: neither at the shared address nor with an iss that is not theirs', async () => {
    const first = await bench.opened();
    const shared = bench.callback(first.authorization).replace(/\/callback\/[\w-]+/, '/callback');
    await refused(await first.visitor.get(shared), 400, /did not come from the authorization server/);
    const second = await bench.opened();
    const other = bench.callback(second.authorization, { iss: 'https://evil.example' });
    await refused(await second.visitor.get(other), 400, /did not come from the authorization server/);
    expect(bench.issuer.tokenCalls).toEqual([]);
  });
});

async function stays(id: string): Promise<void> {
  const connection = await bench.read(id);
  expect([connection.status, connection.authorization_generation]).toEqual(['pending', 1]);
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
