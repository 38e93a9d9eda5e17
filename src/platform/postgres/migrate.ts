import pg from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../../migrations/index.js';

/** Any process that migrates takes this lock first, so that two that start together do not race. */
const MIGRATION_LOCK = 7_236_401;
const LOCK_TIMEOUT_MS = 120_000;

/**
 * Brings the database to the newest schema as the owner (the login of `url`); forward only, each migration in a
 * transaction of its own.
 *
 * @returns names of the migrations that ran, in order; empty when there was nothing to do
 */
export async function migrate(url: string): Promise<string[]> {
  const guard = new pg.Client({ connectionString: url, application_name: 'sandgate-migrate-lock' });
  await guard.connect();
  try {
    await guard.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await guard.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await runPending(url);
  } finally {
    await guard.end();
  }
}

async function runPending(url: string): Promise<string[]> {
  const source = new DataSource({
    type: 'postgres',
    url,
    applicationName: 'sandgate-migrate',
    migrations: [...MIGRATIONS],
    migrationsTableName: 'schema_migrations',
    poolSize: 2,
  });
  await source.initialize();
  try {
    const done = await source.runMigrations({ transaction: 'each' });
    return done.map((migration) => migration.name);
  } finally {
    await source.destroy();
  }
}
