import type pg from 'pg';
import { translateDatabaseErrors } from '../../platform/postgres/database-errors.js';

/** The one row of a statement with a name. */
export async function queryRow<R extends object>(pool: pg.Pool, query: pg.QueryConfig): Promise<R> {
  return onlyRow(await queryRows<R>(pool, query), query.name ?? query.text);
}

/** The row of a statement that answers one or none. */
export async function findRow<R extends object>(pool: pg.Pool, query: pg.QueryConfig): Promise<R | null> {
  const [row] = await queryRows<R>(pool, query);
  return row ?? null;
}

export async function queryRows<R extends object>(pool: pg.Pool, query: pg.QueryConfig): Promise<R[]> {
  return (await translateDatabaseErrors(() => pool.query<R>(query))).rows;
}

/** The row where there has to be one. @param of what answered, for whoever reads the defect */
export function onlyRow<R>(rows: readonly R[], of: string): R {
  const [row] = rows;
  if (row === undefined) throw new Error(`${of} answered nothing`);
  return row;
}
