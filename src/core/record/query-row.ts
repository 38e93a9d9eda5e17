import type pg from 'pg';
import { translateDatabaseErrors } from '../../platform/postgres/database-errors.js';

/** Texts from a statement of its own, numbers from a shared one. */
export type Bigint = string | number;

/** The one row of a statement with a name. */
export async function queryRow<R extends object>(pool: pg.Pool, query: pg.QueryConfig): Promise<R> {
  const { rows } = await translateDatabaseErrors(() => pool.query<R>(query));
  if (rows[0] === undefined) throw new Error(`${query.name} answered nothing`);
  return rows[0];
}
