import type { Page, Table } from '../../page-model.js';
import { unreadPages } from '../model/reading.js';
import type { ExtractedDocument } from '../model/extraction-result.js';

/** A document that is read in a run. */
export interface RunDocument {
  documentId: string;
  documentName: string;
  documentVersionId: string;
}

/** Pages from the first to the last, both included. */
export interface PageSpan {
  first: number;
  last: number;
}

/** A document with what is read of it, in the order of its pages. */
export interface ReadDocument {
  document: RunDocument;
  /** Of the whole document, however many of them are read. */
  pageCount: number;
  asked: PageSpan;
  pages: Page[];
  tables: Table[];
}

/** Several documents as one: pages are counted through all of them. */
export interface JoinedDocuments {
  pages: Page[];
  tables: Table[];
  pageCount: number;
  /** Pages that were asked for and could not be read. */
  unread: number[];
  /** The document of a page, and its number there. */
  placeOf(pageNumber: number): { document: RunDocument; pageNumber: number };
}

/** Puts documents behind each other; of a single one every page keeps its number. */
export function joinDocuments(documents: readonly ReadDocument[]): JoinedDocuments {
  const begins: { before: number; document: RunDocument }[] = [];
  let before = 0;
  const pages: Page[] = [];
  const tables: Table[] = [];
  const unread: number[] = [];
  for (const { document, pageCount, asked, ...read } of documents) {
    const begin = before;
    begins.push({ before, document });
    unread.push(...unreadPages(read.pages, asked).map((page) => page + begin));
    pages.push(...read.pages.map((page) => shiftPage(page, before)));
    tables.push(...read.tables.map((table) => shiftTable(table, before)));
    before += pageCount;
  }
  return {
    pages,
    tables,
    pageCount: before,
    unread,
    placeOf: (pageNumber) => {
      const of = begins.findLast((one) => one.before < pageNumber);
      if (of === undefined) throw new RangeError(`no document has the page ${pageNumber}`);
      return { document: of.document, pageNumber: pageNumber - of.before };
    },
  };
}

function shiftPage(page: Page, by: number): Page {
  if (by === 0) return page;
  return { ...page, pageNumber: page.pageNumber + by, tables: page.tables.map((table) => shiftTable(table, by)) };
}

function shiftTable(table: Table, by: number): Table {
  if (by === 0) return table;
  const shifted = <T extends { pageNumber: number }>(part: T): T => ({ ...part, pageNumber: part.pageNumber + by });
  return {
    ...table,
    firstPage: table.firstPage + by,
    lastPage: table.lastPage + by,
    cells: table.cells.map(shifted),
    boxes: table.boxes.map(shifted),
  };
}

/** The part of a table that lies on some pages; null where none does. Rows are counted anew. */
export function clipTable(table: Table, first: number, last: number): Table | null {
  if (table.firstPage >= first && table.lastPage <= last) return table;
  const isIn = ({ pageNumber }: { pageNumber: number }): boolean => pageNumber >= first && pageNumber <= last;
  const cells = table.cells.filter(isIn);
  const boxes = table.boxes.filter(isIn);
  if (cells.length === 0 || boxes.length === 0) return null;
  const from = Math.min(...cells.map(({ row }) => row));
  const to = Math.max(...cells.map(({ row, rowSpan }) => row + rowSpan));
  return {
    ...table,
    firstPage: Math.min(...boxes.map(({ pageNumber }) => pageNumber)),
    lastPage: Math.max(...boxes.map(({ pageNumber }) => pageNumber)),
    headerRows: Math.max(0, table.headerRows - from),
    rows: to - from,
    cells: cells.map((cell) => ({ ...cell, row: cell.row - from })),
    boxes,
  };
}

/** What was found, told as texts of {@link ResultParts}. */
export interface WrittenResult {
  data: string;
  fields: string;
  fieldsWithSignals: string;
  rest: string;
}

/** Writes what was found with the documents that it cites. @param minConfidence leaves below it are listed for review */
export function writeResult(
  { data, fields, completeness, warnings }: ExtractedDocument,
  joined: Pick<JoinedDocuments, 'placeOf'>,
  minConfidence: number | null,
): WrittenResult {
  const cited = Object.entries(fields).map(([path, { signals, citations, ...field }]) => {
    const placed = citations.map(({ pageNumber, ...citation }) => {
      const place = joined.placeOf(pageNumber);
      return { ...place.document, pageNumber: place.pageNumber, ...citation };
    });
    const { confidence, ...rest } = field;
    return { path, field: { confidence, citations: placed, ...rest }, signals };
  });
  const numbers = cited.map(({ field }) => field.confidence);
  const confidence = {
    min: numbers.length === 0 ? null : numbers.reduce((least, one) => Math.min(least, one)),
    mean: numbers.length === 0 ? null : numbers.reduce((sum, one) => sum + one, 0) / numbers.length,
  };
  const needsReview = cited
    .filter(({ field }) => minConfidence !== null && field.confidence < minConfidence)
    .map(({ path }) => path);
  return {
    data: JSON.stringify(data),
    fields: JSON.stringify(Object.fromEntries(cited.map(({ path, field }) => [path, field]))),
    fieldsWithSignals: JSON.stringify(
      Object.fromEntries(cited.map(({ path, field, signals }) => [path, { ...field, signals }])),
    ),
    rest: JSON.stringify({ completeness, confidence, needsReview, warnings }).slice(1, -1),
  };
}
