import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { declaredRoutes, type DeclaredRoute } from '../../../src/api/auth/declared-routes.js';
import { SandgateError } from '../../../src/domain/errors.js';
import { startApi, type Answer, type TestApi } from '../../support/api/api.js';
import { signIn, type TestUser } from '../../support/api/users.js';
import { createOrganization } from '../../support/runs/run-fixture.js';
import { createSubscription } from '../../support/triggers/subscription-fixture.js';

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';

let single: TestApi;
let multi: TestApi;
beforeAll(async () => {
  single = await startApi();
  multi = await startApi({ SERVICE_REQUIRE_SSO: '1' });
});
afterAll(async () => {
  await single.close();
  await multi.close();
});

const askRoute = (api: TestApi, { method, path }: DeclaredRoute): Promise<Answer> =>
  api.call(method, path.replace(/:\w+/g, UNKNOWN_ID), method === 'GET' ? {} : { body: { '': 0 } });
const routesOf = (api: TestApi, by: string): DeclaredRoute[] =>
  declaredRoutes(api.app).filter(({ admission }) => admission.by === by);

describe('the admin token', () => {
  it('CP-054 CP-279 reaches the operator plane alone where people sign in', async () => {
    const routes = routesOf(multi, 'permission');
    expect(routes.length).toBeGreaterThan(50);
    for (const route of routes) {
      const { status, body } = await askRoute(multi, route);
      expect([route.handler, status, body]).toEqual([route.handler, 401, { error: 'unauthorized' }]);
    }
    expect((await multi.get('/v1/admin/metrics')).status).toBe(200);
  });

  it('CP-055 CP-274 is the operator of the whole interface where nobody has to, but for what people own', async () => {
    for (const route of routesOf(single, 'permission')) {
      const { admission, path, handler } = route;
      const { status } = await askRoute(single, route);
      const isPeoples = path.startsWith('/v1/auth/tokens');
      const refusal = admission.by === 'permission' && admission.browserOnly;
      const refused = isPeoples ? 403 : refusal ? new SandgateError(refusal, '').httpStatus : null;
      expect([handler, status]).toEqual([handler, refused ?? (status === 401 || status === 403 ? 'admitted' : status)]);
    }
    expect((await single.get('/v1/admin/metrics')).status).toBe(200);
  });

  it('CP-048 is asked for on the operator plane, in both modes', async () => {
    for (const api of [single, multi]) {
      const owner = await api.addUser('owner');
      const { headers } = await signIn(api.db, owner);
      for (const { method, path, handler } of routesOf(api, 'operator')) {
        for (const options of [{ token: null }, { token: 'x' }, owner, { token: null, headers }]) {
          expect([handler, (await api.call(method, path, options)).status]).toEqual([handler, 401]);
        }
      }
    }
  });
});

describe('people', () => {
  it.each(['single', 'multi'] as const)('CP-275 CP-279 come by token and by browser in mode %s', async (mode) => {
    const api = { single, multi }[mode];
    const ada = await api.addUser('approver', 'member');
    const { headers } = await signIn(api.db, ada);
    for (const [options, auth_kind] of [
      [ada, 'pat'],
      [{ token: null, headers }, 'browser'],
    ] as const) {
      const { status, body } = await api.get('/v1/auth/me', options);
      expect([status, body]).toEqual([
        200,
        {
          user_id: ada.userId,
          org: { slug: 'default', display_name: 'default' },
          user: { name: `user ${ada.userId.slice(-4)}` },
          roles: ['approver', 'member'],
          auth_kind,
        },
      ]);
    }
  });

  it('CP-266 are told what their organization is called, and their address', async () => {
    const { organizationId } = await createOrganization(single.db);
    const ada = await single.users.add(single.db, organizationId, 'owner');
    await own(`update tenants set display_name = 'The Company' where id = $1`, organizationId);
    await own(`update users set email = 'ada@company.example', name = null where id = $1`, ada.userId);
    const { body } = await single.get('/v1/auth/me', ada);
    expect(body).toMatchObject({ org: { display_name: 'The Company' }, user: { email: 'ada@company.example' } });
    expect((body as unknown as { user: object }).user).not.toHaveProperty('name');
  });

  it('CP-266 the operator is told to be the operator', async () => {
    expect((await single.get('/v1/auth/me')).body).toEqual({ operator: true });
  });
});

describe('a suspended organization', () => {
  it('CP-276 CP-279 CP-301 admits nobody: not by token, not by browser, not by the token of a trigger', async () => {
    const organization = await createOrganization(single.db);
    const ada: TestUser = await single.users.add(single.db, organization.organizationId, 'owner');
    const { headers } = await signIn(single.db, ada);
    const { id, token } = await createSubscription(single.db, organization);
    const statuses = async (): Promise<number[]> => [
      (await single.get('/v1/auth/me', ada)).status,
      (await single.get('/v1/auth/me', { token: null, headers })).status,
      (await single.post(`/v1/triggers/${id}/invoke`, { unknown: 1 }, { token })).status,
    ];
    expect(await statuses()).toEqual([200, 200, 400]);
    await own(`update tenants set status = 'suspended' where id = $1`, organization.organizationId);
    expect(await statuses()).toEqual([401, 401, 401]);
    await own(`update tenants set status = 'active' where id = $1`, organization.organizationId);
    expect(await statuses()).toEqual([200, 200, 400]);
  });
});

describe('two applications in one process', () => {
  it('CP-301 each know their own people alone', async () => {
    const [one, other] = [await single.addUser('owner'), await multi.addUser('owner')];
    for (const [api, user, status] of [
      [single, one, 200],
      [single, other, 401],
      [multi, other, 200],
      [multi, one, 401],
    ] as const) {
      expect((await api.get('/v1/auth/me', user)).status).toBe(status);
    }
  });
});

const own = (statement: string, id: string): Promise<unknown> => single.database.owner.query(statement, [id]);
