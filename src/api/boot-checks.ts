import { hasIdentityProvider } from '../core/identity/identity-providers.js';
import type { Database } from '../core/record/database.js';
import type { SandgateConfig } from '../platform/config/index.js';
import { checkRuntimeRoles } from '../platform/postgres/runtime-role.js';

/**
 * Who can call this deployment, and whether the database keeps its organizations apart (docs/design/identity.md).
 *
 * @returns warnings for the boot log
 * @throws RoleRefused saying what to change
 */
export async function checkIdentity(
  { pool }: Pick<Database, 'pool'>,
  { auth, database }: Pick<SandgateConfig, 'auth' | 'database'>,
): Promise<string[]> {
  const { requireSso } = auth;
  const warnings = await checkRuntimeRoles(pool, { requireSso, allowRlsBypass: database.allowRlsBypass });
  if (!requireSso || (await hasIdentityProvider(pool))) return warnings;
  return [
    ...warnings,
    'SERVICE_REQUIRE_SSO is set and no organization has an active identity provider: only /v1/admin can be used; ' +
      'add one with `sandgate admin idp`',
  ];
}
