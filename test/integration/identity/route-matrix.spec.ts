import { Controller, Get, Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { PERMISSIONS } from '../../../src/api/auth/permission.decorator.js';
import { OPERATOR_PERMISSIONS, permissionsOf } from '../../../src/api/auth/role-permissions.js';
import { InternalModule } from '../../../src/api/internal/internal.module.js';
import { ROLES } from '../../../src/domain/identity/role.js';
import { startApi, type TestApi } from '../../support/api/api.js';
import { CredentialCases, type CredentialCase, type Standing } from '../../support/identity/credential-cases.js';
import { documentedRoutes, guardedRoutes, type GuardedRoute } from '../../support/identity/guarded-routes.js';
import { readDesignedRights } from '../../support/identity/roles-matrix.js';
import { IS_NIGHTLY } from '../../support/nightly/nightly.js';
import { changes, expectedVerdict, shows } from '../../support/identity/route-expectations.js';

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';
const AT_ONCE = 8;
/** HEAD, which has the handler of GET, and what is answered alike in both modes are asked that often again; the nightly campaign has all. */
const ONE_IN = IS_NIGHTLY ? 1 : 3;

/** Asks without a socket, which is half of what a request costs here. @returns what is wrong with the answer, or null */
async function ask(
  api: TestApi,
  cases: CredentialCases,
  route: GuardedRoute,
  as: CredentialCase,
): Promise<string | null> {
  const { method, path } = route;
  const expected = expectedVerdict(route, as.standing, api.config.auth.requireSso);
  const id = route.plane === 'public' && route.row.opens === 'trigger' ? cases.triggerId : UNKNOWN_ID;
  const { statusCode, payload, headers } = await api.app.inject({
    method: method as 'GET',
    url: path.replace(/:\w+/g, id).replace('*', 'v1/messages'),
    headers: await as.headers(expected === 'admitted' && changes(route)),
    // A member that no route knows: whoever is let in changes nothing.
    ...(changes(route) ? { payload: { '': 0 } } : {}),
  });
  const answer = { status: statusCode, text: payload, contentType: String(headers['content-type']) };
  return shows(expected, route, answer)
    ? null
    : `${method} ${path}, ${as.name}: not ${expected} but ${statusCode} ${payload.slice(0, 200)}`;
}

function dependsOnMode(route: GuardedRoute, standing: Standing): boolean {
  return expectedVerdict(route, standing, true) !== expectedVerdict(route, standing, false);
}

describe.each(['0', '1'])('proof 12: every route × every credential with SERVICE_REQUIRE_SSO=%s', (requireSso) => {
  let api: TestApi;
  let cases: CredentialCases;
  beforeAll(async () => {
    api = await startApi({ SERVICE_REQUIRE_SSO: requireSso }, [InternalModule]);
    cases = await CredentialCases.plant(api);
  });
  afterAll(() => api.close());

  it('CP-302 every route of the server says who may call it, and every line of the documents is a route', () => {
    const { routes, undeclared } = guardedRoutes(api);
    expect(undeclared).toEqual([]);
    const served = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    expect(documentedRoutes().filter((route) => !served.has(route))).toEqual([]);
  });

  it('CP-046 CP-047 CP-048 CP-054 CP-055 CP-167 CP-275 CP-276 CP-277 CP-279 CP-301 CP-302 the answer is that of the matrix', async () => {
    const limit = pLimit(AT_ONCE);
    const isSecond = requireSso === '1';
    const asked = guardedRoutes(api).routes.flatMap((route, at) => {
      const isHead = route.method === 'HEAD';
      // Its roles do not depend on the mode.
      if (isSecond && isHead) return [];
      const told = cases.all.filter(
        ({ forRunnersOnly, standing }, index) =>
          (route.plane === 'runner' || forRunnersOnly !== true) &&
          ((!isSecond && !isHead) || (at + index) % ONE_IN === 0 || dependsOnMode(route, standing)),
      );
      return told.map((as) => limit(() => ask(api, cases, route, as)));
    });
    const answered = await Promise.all(asked);
    expect(answered.filter((wrong) => wrong !== null)).toEqual([]);
    expect(answered.length).toBeGreaterThan(isSecond && !IS_NIGHTLY ? 1000 : 3000);
  });
});

describe('the matrix', () => {
  it('CP-302 gives roles and operator what docs/design/identity.md gives them', () => {
    const { of, notOperators } = readDesignedRights();
    for (const role of ROLES) expect([role, [...permissionsOf([role])].sort()]).toEqual([role, [...of[role]].sort()]);
    expect(PERMISSIONS.filter((permission) => !OPERATOR_PERMISSIONS.has(permission))).toEqual([...notOperators].sort());
  });

  it('CP-302 notices a route that declares nothing, and one that no document has', async () => {
    const api = await startApi({}, [UndeclaredModule]);
    try {
      expect(guardedRoutes(api).undeclared).toEqual(['GET /v1/undeclared', 'HEAD /v1/undeclared']);
      const owner = await api.addUser('owner');
      expect((await api.get('/v1/undeclared', owner)).status).toBe(403);
    } finally {
      await api.close();
    }
  });
});

@Controller('v1/undeclared')
class UndeclaredController {
  @Get()
  read(): object {
    return {};
  }
}

@Module({ controllers: [UndeclaredController] })
class UndeclaredModule {}
