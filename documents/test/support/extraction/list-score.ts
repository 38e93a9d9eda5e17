import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';
import { extractDocument } from '../../../src/domain/extraction/extract-document.js';
import { Reading } from '../../../src/domain/extraction/model/reading.js';
import { normalizeSchema } from '../../../src/domain/schemas/normal-schema.js';
import { joinedTables } from '../documents/joined-tables.js';
import type { DocumentFolder } from '../parsing/document-folder.js';
import { printedList, type ListedRow, type ListPlan } from './printed-list.js';

/** What became of a printed list. */
export interface ListScore extends ListPlan {
  returned: number;
  /** Rows that are returned as they were printed, each counted once. */
  right: number;
  complete: boolean;
}

/** Prints a list, reads it as documents are read, and extracts it. */
export async function scoreList(plan: ListPlan, folder: DocumentFolder): Promise<ListScore> {
  const { bytes, pages: count, schema, rows, unread } = await printedList(plan);
  const pages = (await folder.pages(bytes, count)).filter(({ pageNumber }) => !unread.includes(pageNumber));
  const reading = new Reading(pages, await joinedTables(pages), count, unread);
  const { data, completeness } = extractDocument({ root: normalizeSchema(schema) }, reading);
  const found = rowsIn(data).map(keyOf);
  return {
    ...plan,
    returned: found.length,
    right: countRight(rows, found),
    complete: completeness.every(({ complete }) => complete),
  };
}

function rowsIn({ orders, regions }: JsonObject): JsonObject[] {
  if (regions === undefined) return objects(orders);
  return objects(regions).flatMap((one) =>
    objects(one['orders']).map((row) => ({ ...row, region: one['region'] ?? null })),
  );
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function keyOf({ date, customer, description, quantity, price, amount, region }: JsonObject): string {
  return JSON.stringify([date, customer, description, quantity, price, amount, region]);
}

function countRight(rows: readonly ListedRow[], found: readonly string[]): number {
  const isGrouped = found.some((key) => (JSON.parse(key) as JsonValue[])[6] !== null);
  const left = new Map<string, number>();
  for (const { price, amount, region, ...row } of rows) {
    const said = { ...row, price: numberOf(price), amount: numberOf(amount), ...(isGrouped ? { region } : {}) };
    left.set(keyOf(said), (left.get(keyOf(said)) ?? 0) + 1);
  }
  return found.filter((key) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count > 0;
  }).length;
}

function numberOf(money: string): number {
  return Number(money.replaceAll(',', ''));
}
