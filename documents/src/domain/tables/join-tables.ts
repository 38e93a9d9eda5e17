import type { Page, Table } from '../page-model.js';
import { isInProportion } from './proportion.js';
import { bytesOfTable, MAX_TABLE_BYTES, tableParts } from './table-parts.js';

/** Share of the page's width by which an edge of a column may differ from one page to the next. */
const SAME_EDGE = 0.015;
/** So many lines may stand below a table that goes on (notes, a page number), and above its continuation (a running title). */
const LINES_AROUND = 4;

type PageOfTables = Pick<Page, 'pageNumber' | 'lines' | 'tables'>;

/**
 * The tables of a document, in order. The last table of a page and the first of the next are one where the header is repeated, which is then kept once,
 * or where the columns have the same edges; and nothing but a few lines stands between them. Pages come in order, and may have gaps. One page is held
 * at a time, and a table ends where it is as large as one may be (table-parts.ts).
 */
export async function* joinTables(pages: Iterable<PageOfTables> | AsyncIterable<PageOfTables>): AsyncGenerator<Table> {
  let open: OpenTable | null = null;
  for await (const page of pages) {
    for (const [index, table] of page.tables.entries()) {
      const place: Place = { page, table };
      const start: number | null = index === 0 && open !== null ? startIn(open, place) : null;
      if (open !== null && start !== null) open = append(open, place, start);
      else {
        if (open !== null) yield* tableParts(open.joined);
        open = opened(place);
      }
    }
  }
  if (open !== null) yield* tableParts(open.joined);
}

/** A table that may go on over the next page. */
interface OpenTable {
  joined: Table;
  bytes: number;
  /** Its part on its last page. */
  last: Place;
}

function opened(place: Place): OpenTable {
  const { table } = place;
  return {
    joined: { ...table, cells: [...table.cells], boxes: [...table.boxes] },
    bytes: bytesOfTable(table),
    last: place,
  };
}

/** From which row on `next` goes on with the table; null when it is a table of its own. */
function startIn({ joined, bytes, last }: OpenTable, next: Place): number | null {
  const { page, table } = next;
  const isLastOfPage = last.page.tables.at(-1) === last.table;
  if (!isLastOfPage || last.page.pageNumber + 1 !== page.pageNumber) return null;
  const grown = { rows: joined.rows + table.rows, columns: joined.columns };
  if (!isInProportion(grown, joined.cells.length + table.cells.length)) return null;
  return bytes + bytesOfTable(table) > MAX_TABLE_BYTES ? null : continuationStart(last, next);
}

type Place = { page: PageOfTables; table: Table };

/** From which row on `next` is the continuation of `last`; null when it is a table of its own. */
function continuationStart(last: Place, next: Place): number | null {
  if (last.table.columns !== next.table.columns || last.table.found === 'sheet' || next.table.found === 'sheet')
    return null;
  if (linesBelow(last) > LINES_AROUND || linesAbove(next) > LINES_AROUND) return null;
  const header = last.table.headerRows;
  if (header > 0 && rowsText(last.table, header) === rowsText(next.table, header)) return header;
  return sameEdges(last.table, next.table) ? 0 : null;
}

const rowsText = (table: Table, rows: number): string =>
  table.cells
    .filter((cell) => cell.row < rows)
    .map((cell) => `${String(cell.row)} ${String(cell.column)} ${cell.text.toLowerCase()}`)
    .join('\n');

function linesBelow({ page, table }: Place): number {
  const box = table.boxes.at(-1)?.box;
  return box === undefined ? 0 : page.lines.filter((line) => line.box[1] >= box[1] + box[3]).length;
}

function linesAbove({ page, table }: Place): number {
  const box = table.boxes[0]?.box;
  return box === undefined ? 0 : page.lines.filter((line) => line.box[1] + line.box[3] <= box[1]).length;
}

/** True when each column that both have begins or ends at the same place: texts stand at the left of a column, numbers at its right. */
function sameEdges(a: Table, b: Table): boolean {
  const [one, other] = [edgesOf(a), edgesOf(b)];
  let compared = 0;
  for (const [column, [left, far]] of one) {
    const edges = other.get(column);
    if (edges === undefined) continue;
    if (Math.abs(edges[0] - left) > SAME_EDGE && Math.abs(edges[1] - far) > SAME_EDGE) return false;
    compared += 1;
  }
  return compared >= 2;
}

/** From where to where each column goes on a table's last page, by its cells of one column. */
function edgesOf(table: Table): Map<number, [number, number]> {
  const edges = new Map<number, [number, number]>();
  for (const cell of table.cells) {
    if (cell.columnSpan > 1 || cell.pageNumber !== table.lastPage) continue;
    const known = edges.get(cell.column);
    const [left, far] = [cell.box[0], cell.box[0] + cell.box[2]];
    edges.set(cell.column, known === undefined ? [left, far] : [Math.min(known[0], left), Math.max(known[1], far)]);
  }
  return edges;
}

function append({ joined, bytes }: OpenTable, last: Place, start: number): OpenTable {
  const { table: next } = last;
  const offset = joined.rows - start;
  for (const cell of next.cells) if (cell.row >= start) joined.cells.push({ ...cell, row: cell.row + offset });
  joined.boxes.push(...next.boxes);
  joined.rows += next.rows - start;
  joined.lastPage = next.lastPage;
  return { joined, bytes: bytes + bytesOfTable(next), last };
}
