import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { declaredRoutes, type DeclaredRoute } from '../../../src/api/auth/declared-routes.js';
import { rolesDocument } from '../../../src/api/auth/roles-document.js';
import { permissionsOf } from '../../../src/api/auth/role-permissions.js';
import { ROLES, type Role } from '../../../src/domain/identity/role.js';
import { startApi, type TestApi } from '../../support/api/api.js';
import { signIn } from '../../support/api/users.js';

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';
const LACKING = /lacks the permission/;

let api: TestApi;
let routes: DeclaredRoute[];
beforeAll(async () => {
  api = await startApi();
  routes = declaredRoutes(api.app);
});
afterAll(() => api.close());

describe('who may call what', () => {
  it('CP-302 docs/roles.md is what the routes declare', () => {
    expect(rolesDocument(routes)).toBe(readFileSync(join(process.cwd(), 'docs/roles.md'), 'utf8'));
  });

  it('CP-302 every route declares who may call it', () => {
    expect(routes.filter(({ admission }) => admission.by === 'nothing')).toEqual([]);
    expect(routes.length).toBeGreaterThan(70);
  });

  it.each(ROLES)('CP-302 the door lets a %s through to the routes of the role, and to no others', async (role) => {
    const { headers } = await signIn(api.db, await api.addUser(role));
    for (const { method, path, admission, handler } of routes) {
      // Logging out would end the session with which the others are asked.
      if (admission.by !== 'permission' || path === '/v1/auth/logout' || path.endsWith('/stream')) continue;
      const address = path.replace(/:\w+/g, UNKNOWN_ID);
      const { status, text } = await api.call(method, address, {
        ...{ token: null, headers },
        ...(method === 'GET' ? {} : { body: { '': 0 } }),
      });
      const admitted = !(status === 401 || (status === 403 && LACKING.test(text)));
      expect([handler, admitted]).toEqual([handler, permissionsOf([role]).has(admission.permission)]);
    }
  });

  it('CP-302 several roles may what any of them may', async () => {
    const { token } = await api.addUser('member', 'approver');
    expect((await api.get('/v1/ledger-key', { token })).status).toBe(200);
    for (const roles of [['owner', 'member'], ['member', 'approver', 'admin'], ['approver']] as Role[][]) {
      const union = new Set(roles.flatMap((role) => [...permissionsOf([role])]));
      expect(permissionsOf(roles)).toEqual(union);
    }
  });
});
