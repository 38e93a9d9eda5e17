import type pg from 'pg';
import { checkRuntimeRoles } from '../../../../src/platform/postgres/runtime-role.js';
import { DOCSVC } from './docsvc-product.js';

/**
 * Checks at boot that row-level isolation binds what this process acts as. Several organizations always share a deployment.
 *
 * @returns warnings for the boot log, where the operator allows a role that bypasses isolation
 * @throws RoleRefused saying what to change
 */
export function checkRoles(
  pool: Pick<pg.ClientBase, 'query'>,
  { allowRlsBypass }: { allowRlsBypass: boolean },
): Promise<string[]> {
  return checkRuntimeRoles(pool, { requireSso: true, allowRlsBypass }, DOCSVC.roles, DOCSVC);
}
