import {
  Raw,
  type EntityTarget,
  type FindOperator,
  type FindOptionsWhere,
  type ObjectLiteral,
  type QueryPartialEntity,
} from 'typeorm';
import type { OrganizationTransaction } from './postgres.js';

/** The clock of the database at this moment, as the value of a column; `now()` is that of the transaction's begin. */
export const CLOCK = (): string => 'clock_timestamp()';

/** Matches a time that the clock of the database has not reached. */
export function aheadOfClock(): FindOperator<Date> {
  return Raw((column) => `${column} > clock_timestamp()`) as FindOperator<Date>;
}

/**
 * Columns that are left out get their defaults, which the given rows have afterwards. The types of TypeORM's own `insert` are too deep
 * for the compiler where a column holds JSON.
 */
export async function insertRows<E extends ObjectLiteral>(
  tx: Pick<OrganizationTransaction, 'manager'>,
  entity: EntityTarget<E>,
  rows: QueryPartialEntity<E>[],
): Promise<void> {
  if (rows.length > 0) await tx.manager.insert(entity, rows);
}

/** Inserts a row, unless one is there that it collides with. @returns the new row, or null */
export async function insertUnlessThere<E extends ObjectLiteral>(
  tx: Pick<OrganizationTransaction, 'manager'>,
  entity: EntityTarget<E>,
  row: QueryPartialEntity<E>,
): Promise<E | null> {
  const inserted = await tx.manager
    .createQueryBuilder()
    .insert()
    .into(entity)
    .values(row)
    .orIgnore()
    .returning(readColumns(tx, entity))
    .updateEntity(false)
    .execute();
  const [made] = inserted.raw as E[];
  return made ?? null;
}

/**
 * Changes the one row that (still) matches, in one statement, and answers it as it is then; null when none does. Columns that
 * are not read by default are not answered.
 */
export async function updateRow<E extends ObjectLiteral>(
  tx: Pick<OrganizationTransaction, 'manager'>,
  entity: EntityTarget<E>,
  where: FindOptionsWhere<E>,
  values: QueryPartialEntity<E>,
): Promise<E | null> {
  const updated = await tx.manager
    .createQueryBuilder()
    .update(entity)
    .set(values)
    .where(where)
    .returning(readColumns(tx, entity))
    .execute();
  const [row] = updated.raw as E[];
  return row ?? null;
}

/** As {@link updateRow}, for those who only need to know whether a row matched. */
export async function changeRow<E extends ObjectLiteral>(
  tx: Pick<OrganizationTransaction, 'manager'>,
  entity: EntityTarget<E>,
  where: FindOptionsWhere<E>,
  values: QueryPartialEntity<E>,
): Promise<boolean> {
  const { affected } = await tx.manager.update(entity, where, values);
  return (affected ?? 0) > 0;
}

/** The columns that a plain read has. */
function readColumns<E extends ObjectLiteral>(
  { manager }: Pick<OrganizationTransaction, 'manager'>,
  entity: EntityTarget<E>,
): string[] {
  const { columns } = manager.connection.getMetadata(entity);
  return columns.filter(({ isSelect }) => isSelect).map(({ propertyName }) => propertyName);
}
