import { DataSource, MigrationExecutor } from 'typeorm';
import { SandgateError } from '../../domain/errors.js';
import { applyFunctions } from './apply-functions.js';
import { readCode } from './database-errors.js';
import type { DatabaseProduct } from './database-product.js';
import { rollBack } from './roll-back.js';
import { MIGRATIONS_TABLE, type SchemaRelease } from './schema-release.js';

/** SQLSTATE of a statement that gave up waiting for a lock. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs the migrations that are pending and the function files that changed, in one transaction. The caller holds the lock under which
 * one process at a time does so.
 *
 * @returns names of what ran, in order
 * @throws SandgateError as `migrate` does
 */
export async function runPending(
  url: string,
  release: SchemaRelease,
  tableLockMs: number,
  product: DatabaseProduct,
): Promise<string[]> {
  const source = new DataSource({
    type: 'postgres',
    url,
    applicationName: `${product.applicationPrefix}-migrate`,
    migrations: [...release.migrations],
    migrationsTableName: MIGRATIONS_TABLE,
    poolSize: 2,
  });
  await source.initialize();
  const runner = source.createQueryRunner();
  try {
    await runner.startTransaction();
    try {
      await runner.query(`set local lock_timeout = ${tableLockMs}`);
      const executor = new MigrationExecutor(source, runner);
      executor.transaction = 'all';
      const migrations = (await executor.executePendingMigrations()).map(({ name }) => name);
      const functions = await applyFunctions(runner, release, product);
      await runner.commitTransaction();
      return [...migrations, ...functions];
    } catch (error) {
      throw readCode(error) === LOCK_NOT_AVAILABLE ? tablesHeld(tableLockMs, error) : error;
    } finally {
      await rollBack(runner);
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
