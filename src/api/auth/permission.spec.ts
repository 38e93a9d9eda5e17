import { describe, expect, it } from '@jest/globals';
import { PoliciesController } from '../policies/policies.controller.js';
import { PolicyDraftsController } from '../policies/policy-drafts.controller.js';
import { requirePermission } from './auth.guard.js';
import { PERMISSION_METADATA, PERMISSIONS, type PermissionName } from './permission.decorator.js';
import type { Principal } from './principal.js';

const principal = (...permissions: PermissionName[]): Principal => ({
  kind: 'operator',
  organizationId: '01900000-0000-7000-8000-000000000000',
  name: 'somebody',
  permissions: new Set(permissions),
});

/** The permission that a handler of a controller asks for. */
function neededBy(controller: { prototype: object }, handler: string): PermissionName {
  const method = (controller.prototype as Record<string, object>)[handler];
  return Reflect.getMetadata(PERMISSION_METADATA, method ?? {}) as PermissionName;
}

describe('permissions', () => {
  it('a caller without the permission is refused with 403, and a route without one admits nobody', () => {
    const everything = principal(...PERMISSIONS);
    expect(() => requirePermission(everything, 'policies.write')).not.toThrow();
    for (const [caller, needed] of [
      [principal('policies.read'), 'policies.write'],
      [everything, undefined],
    ] as const) {
      expect(() => requirePermission(caller, needed)).toThrow(
        expect.objectContaining({ code: 'forbidden', httpStatus: 403 }),
      );
    }
  });

  it.each(['importPolicy', 'publishPolicy', 'revertPolicy', 'clonePolicy', 'deletePolicy'])(
    'CP-214 CP-217 CP-220 CP-223 CP-229 %s is 403 for a caller who may only read policies',
    (handler) => {
      const needed = neededBy(PoliciesController, handler);
      expect(needed).toBe('policies.write');
      expect(() => requirePermission(principal('policies.read'), needed)).toThrow('policies.write');
    },
  );

  it('CP-224 CP-225 reading, validating and previewing need no more than reading', () => {
    const reads = [
      ...['listPolicies', 'readPolicy', 'readPolicyVersion'].map((handler) => neededBy(PoliciesController, handler)),
      ...['validatePolicy', 'previewPolicy'].map((handler) => neededBy(PolicyDraftsController, handler)),
    ];
    expect(new Set(reads)).toEqual(new Set(['policies.read']));
  });
});
