import type { Client } from 'pg';
import { SandgateError } from '../../domain/errors.js';
import { SANDGATE, type DatabaseProduct } from './database-product.js';
import { withClient } from './one-off.js';
import { checksumOf, isOlder, MIGRATIONS_TABLE, ownRelease, type SchemaRelease } from './schema-release.js';

const LOCK_TIMEOUT_MS = 120_000;
/** A statement that waits for a table holds up everybody who comes after it. */
const TABLE_LOCK_TIMEOUT_MS = 10_000;

/** What a database holds of the schema. */
interface AppliedSchema {
  /** Names, in the order in which they ran. */
  migrations: string[];
  functions: { file: string; checksum: string; version: string }[];
}

/**
 * Brings the database to the schema of this build as the owner (the login of `url`), forward only: pending migrations and changed
 * functions, all in one transaction, so that processes of the version before see either schema whole. A database that a newer
 * version has migrated is left as it is.
 *
 * @returns names of the migrations and function files that ran, in order; empty when there was nothing to do
 * @throws SandgateError `conflict` when the database is of a chain of migrations that this version does not know, a function would
 *   get another signature, or the first migration would run beside processes that use the database; `unavailable` when another transaction holds a table that a migration changes for longer than
 *   `tableLockMs`
 */
export async function migrate(
  url: string,
  release: SchemaRelease = ownRelease(),
  tableLockMs: number = TABLE_LOCK_TIMEOUT_MS,
  product: DatabaseProduct = SANDGATE,
): Promise<string[]> {
  const applicationName = `${product.applicationPrefix}-migrate-lock`;
  return withClient({ connectionString: url, application_name: applicationName }, async (guard) => {
    await guard.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await guard.query('select pg_advisory_lock($1)', [product.migrationLock]);
    const applied = await readApplied(guard);
    if (isNewer(applied, release, product) || isCurrent(applied, release)) return [];
    if (applied.migrations.length === 0) await refuseBesideOthers(guard, product);
    // Most starts find nothing to do, and need not load what does it.
    const { runPending } = await import('./run-pending.js');
    return runPending(url, release, tableLockMs, product);
  });
}

/**
 * The first migration brings the isolation of organizations (CP-327): whoever works on the database before knows nothing of it, would
 * see no row afterwards, and is to be stopped first.
 */
async function refuseBesideOthers(client: Client, { applicationPrefix: prefix }: DatabaseProduct): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and starts_with(application_name, $1) and not starts_with(application_name, $2)
     order by 1`,
    [`${prefix}-`, `${prefix}-migrate`],
  );
  if (rows.length === 0) return;
  throw new SandgateError(
    'conflict',
    `the database is without the isolation of organizations, and processes that do not know it are at work there ` +
      `(${rows.map(({ name }) => name).join(', ')}): stop them, then start again; nothing was changed`,
  );
}

async function readApplied(client: Client): Promise<AppliedSchema> {
  return {
    migrations: (await readIfThere<{ name: string }>(client, MIGRATIONS_TABLE, 'timestamp, id')).map(
      ({ name }) => name,
    ),
    functions: await readIfThere(client, 'schema_functions', 'file'),
  };
}

async function readIfThere<Row extends object>(client: Client, table: string, order: string): Promise<Row[]> {
  const found = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [table]);
  if (found.rows[0]?.there !== true) return [];
  return (await client.query<Row>(`select * from ${table} order by ${order}`)).rows;
}

/**
 * Whether a newer version has migrated the database: then this one, restarted while both run, must not put its own functions back.
 *
 * @throws SandgateError `conflict` when the database does not begin with the first migration of this version
 */
function isNewer(
  { migrations, functions }: AppliedSchema,
  release: SchemaRelease,
  { name: product, otherSchemaAdvice }: DatabaseProduct,
): boolean {
  const known = release.migrations.map((migration) => migration.name);
  const last = migrations.at(-1);
  if (last === undefined) return false;
  if (migrations[0] !== known[0]) {
    throw new SandgateError(
      'conflict',
      `the database was made by a version of ${product} whose schema this one does not continue (${migrations.length} migrations, ` +
        `the last is ${last}): ${otherSchemaAdvice}`,
    );
  }
  return (
    migrations.some((name) => !known.includes(name)) ||
    functions.some(({ version }) => isOlder(release.version, version))
  );
}

function isCurrent({ migrations, functions }: AppliedSchema, release: SchemaRelease): boolean {
  const checksums = new Map(functions.map(({ file, checksum }) => [file, checksum]));
  return (
    release.migrations.every(({ name }, place) => migrations[place] === name) &&
    checksums.size === release.functions.length &&
    release.functions.every((file) => checksums.get(file.name) === checksumOf(file))
  );
}
