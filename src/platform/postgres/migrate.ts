import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { SandgateError } from '../../domain/errors.js';
import { applyFunctions } from './apply-functions.js';
import { readCode } from './database-errors.js';
import { withClient } from './one-off.js';
import { isOlder, ownRelease, type SchemaRelease } from './schema-release.js';

/** Every process takes this lock before it migrates, so that two that start together do not race. */
const MIGRATION_LOCK = 7_236_401;
const LOCK_TIMEOUT_MS = 120_000;
/** A statement that waits for a table holds up everybody who comes after it. */
const TABLE_LOCK_TIMEOUT_MS = 10_000;
/** SQLSTATE of a statement that gave up waiting for a lock. */
const LOCK_NOT_AVAILABLE = '55P03';
const MIGRATIONS_TABLE = 'schema_migrations';

/**
 * Brings the database to the schema of this build as the owner (the login of `url`), forward only: pending migrations and changed
 * functions, all in one transaction, so that processes of the version before see either schema whole. A database that a newer
 * version has migrated is left as it is.
 *
 * @returns names of the migrations and function files that ran, in order; empty when there was nothing to do
 * @throws SandgateError `conflict` when the database is of a chain of migrations that this version does not know, or a function
 *   would get another signature; `unavailable` when another transaction holds a table that a migration changes for longer than
 *   `tableLockMs`
 */
export async function migrate(
  url: string,
  release: SchemaRelease = ownRelease(),
  tableLockMs: number = TABLE_LOCK_TIMEOUT_MS,
): Promise<string[]> {
  return withClient({ connectionString: url, application_name: 'sandgate-migrate-lock' }, async (guard) => {
    await guard.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await guard.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return runPending(url, release, tableLockMs);
  });
}

async function runPending(url: string, release: SchemaRelease, tableLockMs: number): Promise<string[]> {
  const source = new DataSource({
    type: 'postgres',
    url,
    applicationName: 'sandgate-migrate',
    migrations: [...release.migrations],
    migrationsTableName: MIGRATIONS_TABLE,
    poolSize: 2,
  });
  await source.initialize();
  const runner = source.createQueryRunner();
  try {
    if (await isNewer(runner, release)) return [];
    await runner.startTransaction();
    try {
      await runner.query(`set local lock_timeout = ${tableLockMs}`);
      const executor = new MigrationExecutor(source, runner);
      executor.transaction = 'all';
      const migrations = (await executor.executePendingMigrations()).map(({ name }) => name);
      const functions = await applyFunctions(runner, release);
      await runner.commitTransaction();
      return [...migrations, ...functions];
    } catch (error) {
      throw readCode(error) === LOCK_NOT_AVAILABLE ? tablesHeld(tableLockMs, error) : error;
    } finally {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
    }
  } finally {
    await runner.release();
    await source.destroy();
  }
}

function tablesHeld(waitedMs: number, cause: unknown): SandgateError {
  return new SandgateError(
    'unavailable',
    `a migration waited ${waitedMs} ms for a table that a transaction of another process holds, and nothing was changed: start again`,
    { cause },
  );
}

/**
 * Whether a newer version has migrated the database: then this one, restarted while both run, must not put its own functions back.
 *
 * @throws SandgateError `conflict` when the database does not begin with the first migration of this version
 */
async function isNewer(runner: QueryRunner, release: SchemaRelease): Promise<boolean> {
  const known = release.migrations.map((migration) => migration.name);
  const there = await namesOfApplied(runner);
  const last = there.at(-1);
  if (last === undefined) return false;
  if (there[0] !== known[0]) {
    throw new SandgateError(
      'conflict',
      `the database was made by a version of Sandgate whose schema this one does not continue (${there.length} migrations, the last ` +
        `is ${last}): export the ledgers you need with that version (sandgate audit export), then start this one with a new ` +
        'database, another DATABASE_URL or SERVICE_DATA_DIR',
    );
  }
  const versions = (await runner.query('select distinct version from schema_functions')) as { version: string }[];
  return (
    there.some((name) => !known.includes(name)) || versions.some(({ version }) => isOlder(release.version, version))
  );
}

async function namesOfApplied(runner: QueryRunner): Promise<string[]> {
  if (!(await runner.hasTable(MIGRATIONS_TABLE))) return [];
  const rows = (await runner.query(`select name from ${MIGRATIONS_TABLE} order by timestamp, id`)) as {
    name: string;
  }[];
  return rows.map(({ name }) => name);
}
