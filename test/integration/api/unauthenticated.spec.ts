import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RouteTable } from '../../../src/api/http/route-table.js';
import { InternalModule } from '../../../src/api/internal/internal.module.js';
import { AUDIENCES, type Audience } from '../../../src/core/runs/tokens.js';
import { ADMIN_TOKEN, startApi, type Answer, type TestApi } from '../../support/api/api.js';
import { createRun, type FixtureRun } from '../../support/runs/run-fixture.js';
import { deactivate } from '../../support/api/users.js';

/** Every route that answers without a credential, and why. Nothing else may. HEAD takes no step of a flow. */
const PUBLIC: readonly [path: string, reason: string, methods?: readonly string[]][] = [
  ['/.well-known/service-client.json', 'authorization servers read it'],
  ['/v1/health', 'a load balancer asks whether the process serves'],
  ['/v1/health/ready', 'a load balancer asks whether the process can do its work'],
  ['/v1/openapi.json', 'the interface description holds nothing of the deployment'],
  ['/v1/reference', 'documentation, on loopback only'],
  ['/v1/reference/:asset', 'documentation, on loopback only'],
  ['/', 'says whether the browser is signed in, and to whom'],
  ['/login', 'nobody is signed in yet'],
  ['/v1/auth/login', 'nobody is signed in yet'],
  ['/v1/auth/login/:slug/start', 'nobody is signed in yet', ['GET']],
  ['/v1/auth/callback', 'the state and the cookie of the login are the credential', ['GET']],
  ['/v1/oauth/go', 'the sealed token in the address is the credential', ['GET', 'HEAD', 'POST']],
  ['/v1/oauth/callback', 'the state and the cookie of the flow are the credential', ['GET']],
  ['/v1/oauth/callback/:issuer', 'the state and the cookie of the flow are the credential', ['GET']],
  ['/v1/codehost/app/manifest/go', 'the sealed token in the address is the credential', ['GET']],
  ['/v1/codehost/app/manifest/callback', 'the state and the cookie of the flow are the credential', ['GET']],
  ['/v1/codehost/app/install/go', 'the sealed token in the address is the credential', ['GET']],
  ['/v1/codehost/app/:id/setup', 'the state and the cookie of the flow are the credential', ['GET']],
  ['/v1/auth/device', 'whoever signs in has no credential yet', ['POST']],
  ['/v1/auth/device/token', 'the device code is the credential', ['POST']],
  ['/v1/auth/device/revoke', 'the token to end is the credential', ['POST']],
  ['/v1/auth/device/confirm', 'it judges the browser session itself', ['GET', 'HEAD', 'POST']],
  ['/v1/ingress/:connector/:connection_id', 'the signature of the body is the credential', ['POST']],
  ['/v1/ingress/:connector/app/:registration_id', 'the signature of the body is the credential', ['POST']],
];
const PUBLIC_ROUTES = PUBLIC.flatMap(([path, , methods = ['GET', 'HEAD']]) =>
  methods.map((method) => `${method} ${path}`),
).sort();

const RANDOM = 'ab'.repeat(32);

let api: TestApi;
let live: FixtureRun;
let expired: FixtureRun;
let revoked: FixtureRun;
let routes: string[];

beforeAll(async () => {
  api = await startApi({}, [InternalModule]);
  [live, expired, revoked] = [await createRun(api.db), await createRun(api.db), await createRun(api.db)];
  await changeTokens(expired, `expires_at = clock_timestamp() - interval '1 second'`);
  await changeTokens(revoked, 'revoked_at = clock_timestamp()');
  routes = api.app.get(RouteTable).names();
});
afterAll(() => api.close());

async function changeTokens(run: FixtureRun, change: string): Promise<void> {
  await api.db.withTenant(run.organizationId, (tx) =>
    tx.query(`update api_tokens set ${change} where session_id = $1`, [run.runId]),
  );
}

/** Asks a route as it was registered, about a row that exists, with an empty body where it takes one. */
function ask(route: string, headers: Record<string, string>, id = live.runId): Promise<Answer> {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replace(/:\w+/g, id).replace('*', 'v1/messages');
  return api.inject(method, path, { token: null, headers, ...(method === 'POST' ? { body: {} } : {}) });
}

/** What a caller sees; an answer to HEAD has no body. */
function seen(route: string, { status, body }: Answer): unknown[] {
  return [route, status, route.startsWith('HEAD') ? null : body];
}

const refused = (route: string): unknown[] => [route, 401, route.startsWith('HEAD') ? null : { error: 'unauthorized' }];
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** Texts that are no credential of any plane. */
const NOBODY: [what: string, headers: Record<string, string>][] = [
  ['no credential', {}],
  ['an empty header', { authorization: '' }],
  ['a bearer without a token', { authorization: 'Bearer ' }],
  ['two tokens', bearer(`${ADMIN_TOKEN} ${ADMIN_TOKEN}`)],
  ['a scheme in other letters', { authorization: `bearer ${ADMIN_TOKEN}` }],
  ['another scheme', { authorization: `Basic ${Buffer.from(`admin:${ADMIN_TOKEN}`).toString('base64')}` }],
  ['a token that is cut', bearer(ADMIN_TOKEN.slice(0, -1))],
  ['a browser session of nobody', { cookie: `__Host-svc_web=svc_web_${RANDOM}`, 'x-service-csrf': '1' }],
  ['a personal access token of nobody', bearer(`svc_pat_${RANDOM}`)],
  ['a trigger token of nobody', bearer(`svc_trig_${RANDOM}`)],
  ['a session token of nobody', bearer(`svc_sess_${RANDOM}`)],
  ['a session token in capitals', bearer(`svc_sess_${RANDOM.toUpperCase()}`)],
];

const guarded = (): string[] => routes.filter((route) => !PUBLIC_ROUTES.includes(route));
const publicPlane = (): string[] => guarded().filter((route) => !route.includes(' /internal'));
const runnerPlane = (): string[] => guarded().filter((route) => route.includes(' /internal'));

describe('a route that is not declared public', () => {
  it('stands under /v1 or /internal; every other route is one of those listed here', () => {
    expect(routes.filter((route) => PUBLIC_ROUTES.includes(route))).toEqual(PUBLIC_ROUTES);
    expect(publicPlane().filter((route) => !/^\w+ \/v1\//.test(route))).toEqual([]);
    expect(publicPlane().length).toBeGreaterThan(60);
    expect(runnerPlane().length).toBeGreaterThan(15);
  });

  it.each(NOBODY)('CP-046 CP-047 CP-177 CP-180 CP-184 CP-301 answers 401 to %s', async (_what, headers) => {
    for (const route of guarded()) expect(seen(route, await ask(route, headers))).toEqual(refused(route));
  });

  it.each(AUDIENCES)('CP-046 CP-051 CP-301 of the public plane answers 401 to a runner, %s', async (audience) => {
    for (const route of publicPlane()) {
      expect(seen(route, await ask(route, bearer(live.tokens[audience])))).toEqual(refused(route));
    }
  });

  it.each(['membership', 'account'] as const)(
    'CP-046 CP-301 of the public plane answers 401 to a user without an active %s',
    async (what) => {
      const user = await api.addUser('owner');
      await deactivate(api.db, user, what);
      for (const route of publicPlane()) {
        expect(seen(route, await ask(route, bearer(user.token)))).toEqual(refused(route));
      }
    },
  );

  it('CP-047 CP-051 CP-301 of the runner plane answers 401 to an operator and to a user', async () => {
    const user = await api.addUser('owner');
    for (const token of [ADMIN_TOKEN, user.token]) {
      for (const route of runnerPlane()) expect(seen(route, await ask(route, bearer(token)))).toEqual(refused(route));
    }
  });

  it('CP-277 CP-301 of the runner plane answers 401 to its own token, expired or revoked', async () => {
    for (const run of [expired, revoked]) {
      for (const route of runnerPlane()) {
        const statuses: Partial<Record<Audience, number>> = {};
        for (const audience of AUDIENCES) {
          statuses[audience] = (await ask(route, bearer(run.tokens[audience]))).status;
        }
        // The audience is asked first: three tokens are for other routes, the fourth is no longer good.
        expect([route, Object.values(statuses).sort()]).toEqual([route, [401, 403, 403, 403]]);
      }
    }
  });

  it('CP-301 does not tell a stranger what is there from what is not', async () => {
    for (const route of guarded()) {
      expect(seen(route, await ask(route, {}, 'nothing'))).toEqual(refused(route));
    }
  });

  it('is asked in vain alone: those that are public answer without a credential', async () => {
    // What lets a terminal in asks for the browser session by itself, with a page.
    for (const route of PUBLIC_ROUTES.filter((one) => one !== 'POST /v1/auth/device/confirm')) {
      const { status } = await ask(route, {});
      expect([route, [401, 403].includes(status), status < 500]).toEqual([route, false, true]);
    }
  });
});
