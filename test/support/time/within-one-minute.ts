import type { TestDatabase } from '../database/database.js';

/** Less than this is left of a minute that a count should not begin in. */
const ENOUGH_MS = 20_000;

/** Counts in a minute of the database's clock that does not end meanwhile: windows of outbound limits begin with the minute. */
export async function withinOneMinute<T>(test: TestDatabase, count: () => Promise<T>): Promise<T> {
  const { rows } = await test.owner.query<{ left: number }>(
    `select (60 - extract(second from clock_timestamp()))::float8 as left`,
  );
  const leftMs = (rows[0]?.left ?? 0) * 1000;
  if (leftMs < ENOUGH_MS) await new Promise((over) => setTimeout(over, leftMs + 100));
  return count();
}
