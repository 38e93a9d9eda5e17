import type { QueryRunner } from 'typeorm';
import { SandgateError } from '../../domain/errors.js';
import { readCode } from './database-errors.js';
import type { DatabaseProduct } from './database-product.js';
import { checksumOf, type SchemaRelease } from './schema-release.js';

/** SQLSTATE of `create or replace` where the function that is there returns or names something else. */
const OTHER_SIGNATURE = '42P13';

/**
 * Runs the function files whose text is not the one that ran last, in the caller's transaction.
 *
 * @returns names of the files that ran
 * @throws SandgateError `conflict` when a function would get another signature under its old name: a version that runs beside this
 *   one still calls the old one
 */
export async function applyFunctions(
  runner: QueryRunner,
  release: SchemaRelease,
  { functionPrefix }: Pick<DatabaseProduct, 'functionPrefix'>,
): Promise<string[]> {
  const rows = (await runner.query('select file, checksum from schema_functions')) as {
    file: string;
    checksum: string;
  }[];
  const known = new Map(rows.map((row) => [row.file, row.checksum]));
  const applied: string[] = [];
  for (const file of release.functions) {
    const { name, sql } = file;
    const checksum = checksumOf(file);
    if (known.get(name) === checksum) continue;
    await runFile(runner, name, sql);
    await runner.query(
      `insert into schema_functions (file, checksum, version) values ($1, $2, $3)
       on conflict (file) do update set checksum = excluded.checksum, version = excluded.version, applied_at = now()`,
      [name, checksum, release.version],
    );
    applied.push(name);
  }
  await runner.query('delete from schema_functions where file <> all ($1)', [
    release.functions.map(({ name }) => name),
  ]);
  if (applied.length > 0) await refuseOverloads(runner, functionPrefix);
  return applied;
}

async function runFile(runner: QueryRunner, name: string, sql: string): Promise<void> {
  try {
    await runner.query(sql);
  } catch (error) {
    const { message } = error as Error;
    if (readCode(error) !== OTHER_SIGNATURE) throw new Error(`${name}: ${message}`, { cause: error });
    throw signatureChanged(`${name}: ${message}`, error);
  }
}

/** Other arguments under an old name are a second function for PostgreSQL, and calls of the first would go to either. */
async function refuseOverloads(runner: QueryRunner, functionPrefix: string): Promise<void> {
  const rows = (await runner.query(
    `select string_agg(p.oid::regprocedure::text, ' and ' order by p.oid) as signatures
     from pg_proc p where p.pronamespace = current_schema()::regnamespace and starts_with(p.proname::text, $1)
     group by p.proname having count(*) > 1 order by p.proname`,
    [functionPrefix],
  )) as { signatures: string }[];
  if (rows.length === 0) return;
  throw signatureChanged(`there would be ${rows.map(({ signatures }) => signatures).join(', ')}`);
}

function signatureChanged(what: string, cause?: unknown): SandgateError {
  return new SandgateError(
    'conflict',
    `${what}: a function whose signature changes gets a new name, because the version before still calls the old one; ` +
      'a later migration drops that (CONTRIBUTING.md, Upgrades)',
    { cause },
  );
}
