import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { InternalModule } from '../../../src/api/internal/internal.module.js';
import { ADMIN_TOKEN, startApi, type Answer, type TestApi } from '../../support/api/api.js';
import { deactivate, signIn, type TestBrowser, type TestUser } from '../../support/api/users.js';

const ORIGIN = 'https://sandgate.example';
const RANDOM = 'ab'.repeat(32);
const UNKNOWN = { error: 'unauthorized' };

let api: TestApi;
let ada: TestUser;
let browser: TestBrowser;
beforeAll(async () => {
  api = await startApi({ SERVICE_PUBLIC_URL: `${ORIGIN}/` }, [InternalModule]);
});
afterAll(() => api.close());
beforeEach(async () => {
  ada = await api.addUser('owner');
  browser = await signIn(api.db, ada);
});

type Headers = Record<string, string>;

const ask = (method: string, path: string, headers: Headers = {}): Promise<Answer> =>
  api.call(method, path, { token: null, headers: { cookie: browser.cookie, ...headers } });
/** A change that is refused for its content when it gets past the door. */
const change = (headers: Headers): Promise<Answer> => ask('POST', '/v1/agents', headers);
const PAST_THE_DOOR = 400;

async function seen(): Promise<{ last_seen_at: Date; idle_expires_at: Date }> {
  const { rows } = await api.database.owner.query<{ last_seen_at: Date; idle_expires_at: Date }>(
    'select last_seen_at, idle_expires_at from user_sessions where id = $1',
    [browser.sessionId],
  );
  return rows[0] as { last_seen_at: Date; idle_expires_at: Date };
}

const set = (change: string): Promise<unknown> =>
  api.database.owner.query(`update user_sessions set ${change} where id = $1`, [browser.sessionId]);

describe('proof 14: a browser session', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('CP-167 CP-279 reads by %s, also for a page of another site', async (method) => {
    const { status } = await ask(method, '/v1/agents', { origin: 'https://evil.example' });
    expect(status).toBe(method === 'OPTIONS' ? 204 : 200);
  });

  it.each<[string, Headers]>([
    ['the header', { 'x-service-csrf': '1' }],
    ['blanks around its value', { 'x-service-csrf': ' 1 ' }],
    ['our origin', { 'x-service-csrf': '1', origin: ORIGIN }],
    ['our origin with its port', { 'x-service-csrf': '1', origin: `${ORIGIN}:443` }],
    ['our origin in capitals', { 'x-service-csrf': '1', origin: 'https://SANDGATE.example' }],
    ['another cookie of like name', { 'x-service-csrf': '1', cookie: '' }],
  ])('CP-167 changes with %s', async (_what, headers) => {
    const cookie = 'cookie' in headers ? { cookie: `x__Host-svc_web=a; ${browser.cookie}; __Host-svc_web2=b` } : {};
    expect((await change({ ...headers, ...cookie })).status).toBe(PAST_THE_DOOR);
  });

  it.each<[string, Headers]>([
    ['without the header', {}],
    ['with an empty header', { 'x-service-csrf': '' }],
    ['with 0', { 'x-service-csrf': '0' }],
    ['with true', { 'x-service-csrf': 'true' }],
    ['with the header twice', { 'x-service-csrf': '1, 1' }],
    ['without the header from our own origin', { origin: ORIGIN }],
    ['from another site', { 'x-service-csrf': '1', origin: 'https://evil.example' }],
    ['from an origin that begins like ours', { 'x-service-csrf': '1', origin: `${ORIGIN}.evil.example` }],
    ['from a host within ours', { 'x-service-csrf': '1', origin: 'https://app.sandgate.example' }],
    ['from our host by another scheme', { 'x-service-csrf': '1', origin: 'http://sandgate.example' }],
    ['from another port of our host', { 'x-service-csrf': '1', origin: `${ORIGIN}:8443` }],
    ['from the origin null', { 'x-service-csrf': '1', origin: 'null' }],
    ['from what is no origin', { 'x-service-csrf': '1', origin: 'sandgate.example' }],
  ])('CP-167 changes nothing %s, and the refusal is no use of it', async (_what, headers) => {
    await set(`last_seen_at = clock_timestamp() - interval '2 minutes'`);
    const before = await seen();
    for (const [method, path] of [
      ['POST', '/v1/agents'],
      ['PATCH', `/v1/triggers/${ada.userId}`],
      ['DELETE', `/v1/auth/tokens/${ada.userId}`],
    ] as const) {
      const answer = await ask(method, path, headers);
      expect([method, answer.status, answer.headers.get('set-cookie')]).toEqual([method, 403, null]);
    }
    expect(await seen()).toEqual(before);
  });

  it('CP-167 is not looked up for a change without the header: a stranger hears the same', async () => {
    expect((await change({ cookie: `__Host-svc_web=svc_web_${RANDOM}` })).status).toBe(403);
  });

  it.each<[string, () => string]>([
    ['of nobody', () => `svc_web_${RANDOM}`],
    ['that is empty', () => ''],
    ['in capitals', () => browser.cookie.split('=')[1]?.toUpperCase() ?? ''],
    ['that is cut', () => browser.cookie.split('=')[1]?.slice(0, -1) ?? ''],
    ['in quotes', () => `"${browser.cookie.split('=')[1] ?? ''}"`],
    ['that is an access token', () => ada.token],
    ['that is the admin token', () => ADMIN_TOKEN],
    ['that is its own id', () => browser.sessionId],
  ])('CP-279 CP-301 is nobody by a cookie %s', async (_what, value) => {
    const answer = await ask('GET', '/v1/agents', { cookie: `__Host-svc_web=${value()}` });
    expect([answer.status, answer.body]).toEqual([401, UNKNOWN]);
  });

  it('CP-275 CP-279 is no bearer', async () => {
    const { status } = await api.get('/v1/agents', { token: browser.cookie.split('=')[1] ?? '' });
    expect(status).toBe(401);
  });

  it.each<[string, () => string[]]>([
    ['twice in one header', () => ['cookie', `${browser.cookie}; ${browser.cookie}`]],
    ['beside another one', () => ['cookie', `${browser.cookie}; __Host-svc_web=svc_web_${RANDOM}`]],
    ['in two headers', () => ['cookie', browser.cookie, 'cookie', browser.cookie]],
  ])('CP-046 is refused %s', async (_what, headers) => {
    expect(await askRaw(headers())).toBe(401);
  });

  it.each<[string, () => string]>([
    ['the admin token', () => ADMIN_TOKEN],
    ['an access token of the same person', () => ada.token],
    ['a token of a trigger', () => `svc_trig_${RANDOM}`],
    ['a token of a run', () => `svc_sess_${RANDOM}`],
    ['something else', () => 'x'],
  ])('CP-046 is refused with 400 beside the bearer %s, on every plane', async (_what, token) => {
    const authorization = `Bearer ${token()}`;
    for (const [method, path] of [
      ['GET', '/v1/agents'],
      ['GET', '/v1/admin/metrics'],
      ['POST', `/v1/triggers/${ada.userId}/invoke`],
    ] as const) {
      expect([path, (await ask(method, path, { authorization })).status]).toEqual([path, 400]);
    }
  });

  it.each(['/v1/admin/metrics', '/internal/heartbeat'])('CP-047 CP-048 opens nothing at %s', async (path) => {
    const method = path.startsWith('/internal') ? 'POST' : 'GET';
    expect((await ask(method, path, browser.headers)).status).toBe(401);
  });

  it('CP-276 opens no trigger', async () => {
    expect((await ask('POST', `/v1/triggers/${ada.userId}/invoke`, browser.headers)).status).toBe(401);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['was revoked', () => set('revoked_at = clock_timestamp()')],
    ['was not used', () => set(`idle_expires_at = clock_timestamp() - interval '1 second'`)],
    [
      'has reached its end',
      () => set(`idle_expires_at = now() - interval '1 s', absolute_expires_at = now() - interval '1 s'`),
    ],
    ['lost its membership', () => deactivate(api.db, ada, 'membership')],
    ['lost its account', () => deactivate(api.db, ada, 'account')],
  ])('CP-282 is nobody once it %s', async (_what, end) => {
    expect((await ask('GET', '/v1/auth/me')).status).toBe(200);
    await end();
    const answer = await ask('GET', '/v1/auth/me');
    expect([answer.status, answer.body]).toEqual([401, UNKNOWN]);
  });

  it('CP-302 has the roles of this request', async () => {
    expect((await change({ 'x-service-csrf': '1' })).status).toBe(PAST_THE_DOOR);
    await api.database.owner.query(`update org_memberships set roles = '{member}' where id = $1`, [ada.membershipId]);
    expect((await change({ 'x-service-csrf': '1' })).status).toBe(403);
  });

  it('CP-046 gets no header by which another site could read an answer', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await ask(method, '/v1/agents', {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
      });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

function askRaw(headers: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${api.url}/v1/agents`, { headers: ['host', new URL(api.url).host, ...headers] });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.end();
  });
}

describe('logging out', () => {
  const clears = '__Host-svc_web=deleted; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=0';

  it('CP-266 CP-282 ends the session at once, clears its cookie and is on record', async () => {
    const answer = await ask('POST', '/v1/auth/logout', browser.headers);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('set-cookie')).toBe(clears);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await ask('GET', '/v1/auth/me')).status).toBe(401);
    const { rows } = await api.database.owner.query(
      'select tenant_id, actor_kind, actor_id, source_ip, action, success from auth_audit_log where target = $1',
      [browser.sessionId],
    );
    const actor = { actor_kind: 'user', actor_id: ada.userId, source_ip: '127.0.0.1' };
    expect(rows).toEqual([{ tenant_id: api.organizationId, ...actor, action: 'session.logout', success: true }]);
  });

  it('CP-266 ends no other session of the person', async () => {
    const other = await signIn(api.db, ada);
    await ask('POST', '/v1/auth/logout', browser.headers);
    expect((await api.get('/v1/auth/me', { token: null, headers: other.headers })).status).toBe(200);
  });

  it('CP-266 CP-167 needs the CSRF header, and a session: 403, then 401', async () => {
    expect((await ask('POST', '/v1/auth/logout')).status).toBe(403);
    expect((await ask('GET', '/v1/auth/me')).status).toBe(200);
    expect((await api.post('/v1/auth/logout', undefined, { token: null })).status).toBe(401);
  });

  it('CP-266 is 400 for an access token and for the operator, who have no session', async () => {
    expect((await api.post('/v1/auth/logout', undefined, ada)).status).toBe(400);
    expect((await api.post('/v1/auth/logout')).status).toBe(400);
  });
});
