import { loadConfig, type SandgateConfig } from '../platform/config/index.js';
import { Database } from '../core/record/database.js';
import { locate } from './state-folder.js';
import { readLiveInstance } from './state-lock.js';
import { StartRefused } from './start-refused.js';

/**
 * Works directly in the database, as the operator who owns it: with DATABASE_URL, else in the installation that runs on this
 * machine.
 */
export async function withOperatorDatabase<T>(
  env: NodeJS.ProcessEnv,
  dataDir: string,
  work: (db: Database, config: SandgateConfig) => Promise<T>,
): Promise<T> {
  const config = loadConfig(env);
  const url = config.database.url ?? localDatabase(dataDir);
  const db = await Database.connect({ url, poolSize: 2, applicationName: 'sandgate-admin' });
  try {
    return await work(db, config);
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
