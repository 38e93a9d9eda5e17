import { loadConfig } from '../platform/config/index.js';
import { Database } from '../platform/db/database.js';
import { Organizations } from '../platform/organizations/organizations.js';
import type { Organization } from '../platform/organizations/organizations.js';
import { fixerHarness } from '../platform/organizations/seed-agent.js';
import { locate } from './state-folder.js';
import { readLiveInstance } from './state-lock.js';
import { StartRefused } from './start-refused.js';

/**
 * Makes an organization straight in the record, as the operator who owns it: with DATABASE_URL, else in the installation that runs
 * on this machine.
 */
export async function createOrganization(
  env: NodeJS.ProcessEnv,
  dataDir: string,
  slug: string,
  name: string,
): Promise<Organization> {
  const config = loadConfig(env);
  const url = config.database.url ?? localDatabase(dataDir);
  const db = await Database.connect({ url, poolSize: 2, applicationName: 'sandgate-admin' });
  try {
    return await new Organizations(db, fixerHarness(config.harness)).create(slug, name);
  } finally {
    await db.close();
  }
}

function localDatabase(dataDir: string): string {
  const socketDir = readLiveInstance(locate(dataDir).lock)?.postgresSocketDir;
  if (socketDir === undefined)
    throw new StartRefused('no database is known: start the installation, or set DATABASE_URL');
  return `postgres://sandgate@/sandgate?host=${encodeURIComponent(socketDir)}`;
}
