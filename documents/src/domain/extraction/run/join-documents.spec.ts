import { describe, expect, it } from '@jest/globals';
import type { Page, Table } from '../../page-model.js';
import type { ExtractedDocument } from '../model/extraction-result.js';
import { clipTable, joinDocuments, writeResult, type ReadDocument } from './join-documents.js';

const page = (pageNumber: number, tables: Table[] = []): Page => ({
  ...{ pageNumber, width: 1, height: 1, unit: 'pt', rotation: 0, text: '', source: 'text_layer', ocrConfidence: null },
  ...{ words: [], lines: [], rules: [], fields: [], images: [], tables, warnings: [] },
});

/** A table with two rows on each of its pages, of which the first is header. */
function table(firstPage: number, lastPage: number): Table {
  const pages = Array.from({ length: lastPage - firstPage + 1 }, (_, at) => firstPage + at);
  const cells = pages.flatMap((pageNumber, at) =>
    [0, 1].map((row) => ({
      ...{ row: at * 2 + row, column: 0, rowSpan: 1, columnSpan: 1, text: `${pageNumber}/${row}`, pageNumber },
      box: [0, 0, 1, 1] as const,
    })),
  );
  const boxes = pages.map((pageNumber) => ({ pageNumber, box: [0, 0, 1, 1] as const }));
  return { firstPage, lastPage, columns: 1, headerRows: 1, rows: cells.length, cells, boxes, found: 'ruled' };
}

function read(name: string, pageCount: number, pages: Page[], tables: Table[] = []): ReadDocument {
  return {
    document: { documentId: name, documentName: name, documentVersionId: `${name}-1` },
    pageCount,
    asked: { first: 1, last: pageCount },
    pages,
    tables,
  };
}

describe('documents that are read as one', () => {
  const joined = joinDocuments([
    read('first', 3, [page(1), page(3)], [table(1, 1)]),
    read('second', 2, [page(1, [table(1, 1)]), page(2)], [table(1, 2)]),
  ]);

  it('have their pages and tables counted through, with the gaps that they have', () => {
    expect(joined.pages.map(({ pageNumber }) => pageNumber)).toEqual([1, 3, 4, 5]);
    expect(joined.tables.map(({ firstPage, lastPage }) => [firstPage, lastPage])).toEqual([
      [1, 1],
      [4, 5],
    ]);
    expect(joined.tables[1]?.cells.map(({ pageNumber }) => pageNumber)).toEqual([4, 4, 5, 5]);
    expect([joined.pageCount, joined.unread]).toEqual([5, [2]]);
    expect(joined.pages[2]?.tables[0]).toMatchObject({ firstPage: 4, boxes: [{ pageNumber: 4 }] });
  });

  it('are found again by the number of a page', () => {
    const places = [1, 3, 4, 5].map((number) => joined.placeOf(number));
    expect(places.map(({ document, pageNumber }) => `${document.documentName} ${pageNumber}`)).toEqual([
      ...['first 1', 'first 3', 'second 1', 'second 2'],
    ]);
  });

  it('are cited each by its own pages, and leaves below a confidence are listed', () => {
    const signals = { read: 1, find: 1, fit: 1, agree: 1, ground: 1 };
    const field = (confidence: number, pageNumber: number) => ({
      ...{ confidence, origin: 'local', raw: 'x', normalizedBy: 'verbatim', signals },
      citations: [{ pageNumber, excerpt: 'x' }],
    });
    const found = {
      data: { a: 'x', b: 'x' },
      fields: { '/a': field(0.4, 3), '/b': field(0.8, 5) },
      completeness: [],
      warnings: [],
    };
    const written = writeResult(found as unknown as ExtractedDocument, joined, 0.5);
    const fields = JSON.parse(written.fields) as { [path: string]: { citations: object[] } };
    expect(fields['/a']?.citations).toEqual([
      { documentId: 'first', documentName: 'first', documentVersionId: 'first-1', pageNumber: 3, excerpt: 'x' },
    ]);
    expect(fields['/b']?.citations).toMatchObject([{ documentId: 'second', pageNumber: 2 }]);
    expect(written.fields).not.toContain('signals');
    expect(JSON.parse(written.fieldsWithSignals)).toMatchObject({ '/a': { signals } });
    expect(JSON.parse(`{${written.rest}}`)).toMatchObject({
      needsReview: ['/a'],
      confidence: { min: 0.4, mean: 0.6000000000000001 },
    });
  });
});

describe('the part of a table on some pages', () => {
  it('is the table itself where it lies on them alone, and nothing where it does not', () => {
    const whole = table(2, 4);
    expect(clipTable(whole, 1, 9)).toBe(whole);
    expect(clipTable(whole, 5, 9)).toBeNull();
  });

  it('counts its rows anew, and has no header where that is on another page', () => {
    expect(clipTable(table(2, 4), 3, 3)).toMatchObject({
      ...{ firstPage: 3, lastPage: 3, rows: 2, headerRows: 0 },
      cells: [
        { row: 0, text: '3/0' },
        { row: 1, text: '3/1' },
      ],
    });
    expect(clipTable(table(2, 4), 1, 2)).toMatchObject({ firstPage: 2, lastPage: 2, rows: 2, headerRows: 1 });
  });
});
