import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { declaredRoutes } from '../../../src/api/auth/declared-routes.js';
import { rolesDocument } from '../../../src/api/auth/roles-document.js';
import { permissionsOf } from '../../../src/api/auth/role-permissions.js';
import type { Role } from '../../../src/domain/identity/role.js';
import { startApi, type TestApi } from '../../support/api/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe('who may call what', () => {
  it('CP-302 docs/roles.md is what the routes declare', () => {
    expect(rolesDocument(declaredRoutes(api.app))).toBe(readFileSync(join(process.cwd(), 'docs/roles.md'), 'utf8'));
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
