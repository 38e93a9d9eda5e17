import type { Reading, Scope } from '../../model/reading.js';
import { bodyLines } from './body-lines.js';
import { Columns } from './columns.js';
import type { FoundRow, FoundTable, TableBlock } from './found-table.js';
import type { HeaderSense } from './header-sense.js';
import { headerWords } from './header-words.js';
import { printedLines, type PrintedLine } from './printed-lines.js';
import { findHeaders, type PrintedHeader } from './table-headers.js';
import { mergeWrapped } from './wrapped-rows.js';

/** Lines from which columns are measured, of one header and of all prints of it. */
const MEASURED = { each: 60, all: 1500 };
/** Where the same header may begin, in units of the page. */
const SAME_PLACE = 8;

/** The tables that lines show: the names of columns, and texts below them. A header that is printed again goes on with its table. */
export function lineTables(reading: Reading, scope: Scope, sense: HeaderSense): FoundTable[] {
  const lines = printedLines(reading, scope);
  const headers = findHeaders(lines, sense);
  const prints = headers.map((header, at): Print => {
    return { header, end: endBefore(lines, header, headers[at + 1]), key: keyOf(header), before: at };
  });
  const ends: number[] = [];
  const cache = tablesKnown(reading);
  const tables = [...Map.groupBy(prints, ({ key }) => key).values()].map((same) => {
    const key = `${scope.from} ${same.map(({ header, end }) => `${header.from} ${header.to} ${end}`).join()}`;
    let read = cache.get(key);
    if (read === undefined) cache.set(key, (read = readTable(lines, same, reading)));
    same.forEach(({ before }, at) => (ends[before] = read.ends[at] ?? 0));
    return { at: same[0]?.before ?? 0, table: { ...read.table, blocks: blocksOf(same, read, lines, ends) } };
  });
  return tables.sort((a, b) => a.at - b.at).map(({ table }) => table);
}

/** What stands below the prints of a header, which is the same for whatever list is looked for. */
interface ReadTable {
  table: Omit<FoundTable, 'blocks'>;
  /** Of each print. */
  rows: FoundRow[][];
  /** Where the rows of each print end. */
  ends: number[];
}

const known = new WeakMap<Reading, Map<string, ReadTable>>();

function tablesKnown(reading: Reading): Map<string, ReadTable> {
  let tables = known.get(reading);
  if (tables === undefined) known.set(reading, (tables = new Map<string, ReadTable>()));
  return tables;
}

interface Print {
  header: PrintedHeader;
  end: number;
  key: string;
  /** Headers before it. */
  before: number;
}

/** A header that is printed again in this part of a page is there for what follows: what stands over it is no row. */
const TOP = 0.6;

function endBefore(lines: readonly PrintedLine[], header: PrintedHeader, next: PrintedHeader | undefined): number {
  if (next === undefined) return lines.length;
  const [own, other] = [lines[header.from], lines[next.from]];
  let end = next.from;
  if (own === undefined || other === undefined || keyOf(header) !== keyOf(next)) return end;
  if (own.pageNumber === other.pageNumber || other.place > TOP) return end;
  while (end > header.to && lines[end - 1]?.pageNumber === other.pageNumber) end -= 1;
  return end;
}

function keyOf({ cells }: PrintedHeader): string {
  const texts = cells.map(({ parts }) => parts.map(({ text }) => text.toLowerCase()).join(' '));
  return `${Math.round((cells[0]?.left ?? 0) / SAME_PLACE)} ${texts.join('|')}`;
}

/** Lines of several texts below the prints of a header. */
function measured(lines: readonly PrintedLine[], prints: readonly Print[]): PrintedLine[] {
  const found: PrintedLine[] = [];
  for (const { header, end } of prints) {
    const below = lines.slice(header.to, Math.min(end, header.to + MEASURED.each));
    const last = below.findIndex((_, at) => below.slice(at, at + 4).every(({ parts }) => parts.length < 2));
    found.push(...(last < 0 ? below : below.slice(0, last)).filter(isMeasured));
    if (found.length > MEASURED.all) break;
  }
  return found;
}

/** Sums stand where they like. */
function isMeasured({ parts }: PrintedLine): boolean {
  return parts.length >= 2 && !parts.some(({ text }) => /\b(?:sub)?tot(?:al|aal|ale)\b/iu.test(text));
}

function readTable(lines: readonly PrintedLine[], prints: readonly Print[], reading: Reading): ReadTable {
  const columns = new Columns(prints[0]?.header.cells ?? [], measured(lines, prints), reading);
  const bodies = prints.map(({ header, end }) => {
    const read = bodyLines(lines, { from: header.to, to: end }, columns, reading);
    return { body: read.body, end: read.body.length === 0 ? header.to : read.end };
  });
  const starts = prints.map(({ header }) => lines[header.from]?.from ?? 0);
  const rows = prints.map((): FoundRow[] => []);
  let at = 0;
  for (const row of mergeWrapped(
    bodies.flatMap(({ body }) => body),
    columns.cells.length,
  )) {
    while (row.from >= (starts[at + 1] ?? Infinity)) at += 1;
    rows[at]?.push(row);
  }
  const named = columns.cells.map(({ parts }) => {
    const header = parts.map(({ text }) => text).join(' ');
    return { header, words: headerWords(header) };
  });
  return { table: { found: 'lines', columns: named }, rows, ends: bodies.map(({ end }) => end) };
}

function blocksOf(
  prints: readonly Print[],
  { rows }: ReadTable,
  lines: readonly PrintedLine[],
  ends: readonly number[],
): TableBlock[] {
  const blocks = prints.map((print, at): TableBlock => ({
    pageNumber: lines[print.header.from]?.pageNumber ?? 0,
    above: aboveHeader(lines, print, ends),
    rows: rows[at] ?? [],
  }));
  return blocks.filter((one) => one.rows.length > 0);
}

/** From the last row before a header, or the top of its page, down to it. */
function aboveHeader(lines: readonly PrintedLine[], { header, before }: Print, ends: readonly number[]): Scope {
  const at = lines[header.from];
  if (at === undefined) return { from: 0, to: 0 };
  let from = header.from;
  const end = ends.slice(0, before).reduce((most, one) => Math.max(most, one), 0);
  while (from > end && lines[from - 1]?.pageNumber === at.pageNumber) from -= 1;
  return { from: lines[from]?.from ?? at.from, to: at.from };
}
