import type { Reading } from '../../model/reading.js';
import type { FoundRow } from './found-table.js';

/** A list that begins this far from the top of its page may begin before it; one that ends this far down may go on. */
const EDGE = { top: 0.35, bottom: 0.75 };
/** More are not named one by one. */
const MOST = 10_000;

/** Pages between the first and the last row that gave none, and those before and behind that were not read where the list may go on there. */
export function missingPages(rows: readonly FoundRow[], reading: Reading): number[] {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const unread = new Set(reading.unread);
  const given = new Set(rows.map(({ pageNumber }) => pageNumber));
  const missing: number[] = [];
  const isMissing = (page: number): boolean => unread.has(page) && missing.length < MOST;
  if (isAt(first, reading) < EDGE.top)
    for (let page = first.pageNumber - 1; isMissing(page); page--) missing.push(page);
  missing.reverse();
  for (const { pageNumber } of reading.pages) {
    if (pageNumber > first.pageNumber && pageNumber < last.pageNumber && !given.has(pageNumber))
      missing.push(pageNumber);
  }
  for (const page of unread) if (page > first.pageNumber && page < last.pageNumber) missing.push(page);
  missing.sort((a, b) => a - b);
  if (isAt(last, reading) < EDGE.bottom) return missing;
  for (let page = last.pageNumber + 1; isMissing(page); page++) missing.push(page);
  return missing;
}

/** 0…1 from the top of the page. */
function isAt({ pageNumber, top }: FoundRow, reading: Reading): number {
  const { height, unit } = reading.page(pageNumber);
  return unit === 'cell' ? 0.5 : top / height;
}
