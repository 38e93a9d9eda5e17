import { hash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { RouteTable } from '../../../src/api/http/route-table.js';
import { redactText } from '../../../src/domain/redaction/redact-text.js';
import { ADMIN_TOKEN, startApi, type TestApi } from '../../support/api/api.js';
import { signIn, type TestUser } from '../../support/api/users.js';
import { until } from '../../support/time/until.js';

/** No shape that the redactor knows: what is missing from the log was not written. */
const canary = (what: string): string => `canary-of-${what}-${randomBytes(4).toString('hex')}`;

let api: TestApi;
let user: TestUser;
let web: string;
const logged: string[] = [];
beforeAll(async () => {
  // The destination of this test does not redact.
  const logTo = { write: (line: string) => void logged.push(line) };
  api = await startApi({ SERVICE_LOG_LEVEL: 'trace' }, [], { logTo });
  user = await api.addUser('owner');
  web = (await signIn(api.db, user)).cookie.slice('__Host-svc_web='.length);
});
afterAll(() => api.close());

/** Answers what of these was written, and forgets the log. */
function written(secrets: readonly string[]): string[] {
  const lines = logged.splice(0).join('\n');
  return secrets.filter((secret) => lines.includes(secret));
}

const COOKIES = [
  `__Host-svc_login_${'ab'.repeat(16)}`,
  `__Host-svc_switch_${'cd'.repeat(16)}`,
  '__Host-svc_oauth_flow',
];
const QUERY = ['code', 'state', 'error', 'error_description', 'f', 'boot', 'redirect_to', 'org', 'token'];

/** One request with a canary wherever a request can hold one. @returns all of them */
async function carry(route: string, credential: Record<string, string>): Promise<string[]> {
  const [method = '', path = ''] = route.split(' ');
  const query = new URLSearchParams(QUERY.map((name): [string, string] => [name, canary(`query-${name}`)]));
  const cookies = COOKIES.map((name) => [name, canary('cookie')] as const);
  const [member, key] = [canary('body'), canary('header')];
  const cookie = [credential['cookie'], ...cookies.map((pair) => pair.join('='))].filter(Boolean).join('; ');
  const abort = new AbortController();
  const response = await fetch(`${api.url}${path.replace(/:\w+/g, uuidv7())}?${query.toString()}`, {
    method,
    redirect: 'manual',
    signal: abort.signal,
    headers: {
      ...credential,
      cookie,
      'idempotency-key': key,
      'x-service-csrf': '1',
      'content-type': 'application/json',
    },
    ...(method === 'GET' || method === 'HEAD'
      ? {}
      : { body: JSON.stringify({ [canary('member')]: member, name: member }) }),
  });
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) abort.abort();
  else await response.arrayBuffer();
  return [...query.values(), ...cookies.map(([, value]) => value), member, key];
}

describe('what the log holds of a request', () => {
  it.each<[string, () => Record<string, string>, () => string[]]>([
    ['the admin token', () => ({ authorization: `Bearer ${ADMIN_TOKEN}` }), () => [ADMIN_TOKEN]],
    ['a personal token', () => ({ authorization: `Bearer ${user.token}` }), () => [user.token]],
    ['a browser session', () => ({ cookie: `__Host-svc_web=${web}` }), () => [web]],
    [
      'a token of nobody',
      () => ({ authorization: `Bearer svc_trig_${'ef'.repeat(32)}` }),
      () => [`svc_trig_${'ef'.repeat(32)}`],
    ],
  ])(
    'of every route, asked with %s, is method and path: no query, cookie, header or body',
    async (_who, of, tokens) => {
      const routes = api.app.get(RouteTable).names();
      expect(routes.length).toBeGreaterThan(60);
      for (const route of routes) {
        const secrets = [
          ...(await carry(route, of())),
          ...tokens(),
          ...tokens().map((token) => hash('sha256', token, 'hex')),
        ];
        // Positive control: there is a line, and it says what was asked.
        const [method = '', path = ''] = route.split(' ');
        const wanted = `"method":"${method}","path":"${path.split('/:')[0]}`;
        const said = (): boolean => logged.some((line) => line.includes(wanted));
        if (/^\/v1\/(?!health)/.test(path)) expect([route, await until(said, Boolean)]).toEqual([route, true]);
        expect([route, written([...secrets, 'canary'])]).toEqual([route, []]);
      }
    },
  );

  it('is no more when a credential cannot be looked up', async () => {
    const lookups = ['svc_find_web_sessions(text[], integer)', 'svc_find_personal_tokens(text[])'];
    const away = (name: string): string => name.replace('(', '_away(');
    const bare = (name: string): string => name.slice(0, name.indexOf('('));
    for (const name of lookups) await api.database.owner.query(`alter function ${name} rename to ${bare(name)}_away`);
    try {
      const cookie = await api.get('/v1/agents', { token: null, headers: { cookie: `__Host-svc_web=${web}` } });
      const bearer = await api.get('/v1/agents', { token: user.token });
      expect([cookie.status, cookie.body, bearer.status, bearer.body]).toEqual([
        ...[500, { error: 'internal error' }],
        ...[500, { error: 'internal error' }],
      ]);
      expect(logged.join('\n')).toContain('does not exist');
      expect(written([web, user.token, hash('sha256', web, 'hex'), hash('sha256', user.token, 'hex')])).toEqual([]);
    } finally {
      for (const name of lookups)
        await api.database.owner.query(`alter function ${away(name)} rename to ${bare(name)}`);
    }
  });

  it('CP-286 passes the redactor besides: it knows every token of ours', () => {
    for (const kind of ['sess', 'trig', 'web', 'pat', 'whsec']) {
      for (const token of [`svc_${kind}_${'0'.repeat(64)}`, `svc_${kind}_Ab345678`]) {
        expect(redactText(`cookie: x=${token}; y`)).toBe('cookie: x=‹redacted›; y');
        expect(redactText(JSON.stringify({ err: { url: `/p?t=${token}` } }))).not.toContain(token);
      }
    }
  });
});
