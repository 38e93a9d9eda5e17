import { And, FindOperator, LessThan, type EntityTarget, type FindOptionsOrder, type FindOptionsWhere } from 'typeorm';
import type { OrganizationTransaction } from '../../../../src/platform/postgres/postgres.js';

/** Which rows of a list are asked for. */
export interface PageRequest {
  limit: number;
  /** The id of the row that the last page ended with. */
  after: string | null;
}

export interface RowPage<E> {
  rows: E[];
  /** The `after` of the page behind this one; null at the end. */
  next: string | null;
}

/**
 * A page of rows, newest first. Ids of rows begin with their time (UUID version 7), so their order is that of their making, and a row
 * that is added later moves no other one to another page.
 */
export async function newestPage<E extends { id: string }>(
  { manager }: Pick<OrganizationTransaction, 'manager'>,
  entity: EntityTarget<E>,
  where: FindOptionsWhere<E>,
  { limit, after }: PageRequest,
): Promise<RowPage<E>> {
  const found = await manager.find(entity, {
    where: after === null ? where : { ...where, id: behind(after, where.id) },
    order: { id: 'DESC' } as FindOptionsOrder<E>,
    take: limit + 1,
  });
  return pageOf(found, limit);
}

/** A page from rows in order, of which one more was read than is answered. */
export function pageOf<E extends { id: string }>(found: E[], limit: number): RowPage<E> {
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}

function behind(after: string, asked: unknown): FindOperator<string> {
  return asked instanceof FindOperator ? And(asked as FindOperator<string>, LessThan(after)) : LessThan(after);
}
