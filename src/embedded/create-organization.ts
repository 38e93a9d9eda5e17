import { Organizations } from '../core/organizations/organizations.js';
import type { Organization } from '../core/organizations/organizations.js';
import { fixerHarness } from '../core/organizations/seed-agent.js';
import { withOperatorDatabase } from './operator-database.js';

/** Makes an organization directly in the database. */
export function createOrganization(
  env: NodeJS.ProcessEnv,
  dataDir: string,
  slug: string,
  displayName: string | null,
): Promise<Organization> {
  return withOperatorDatabase(env, dataDir, (db, config) =>
    new Organizations(db, fixerHarness(config.harness)).create(slug, displayName),
  );
}
