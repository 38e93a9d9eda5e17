import { describe, expect, it } from '@jest/globals';
import type { Page, Word } from '../../domain/page-model.js';
import { packPage } from './packed-page.js';
import { acceptInspection, acceptReadPage, acceptRendered, acceptSniffed } from './accept-items.js';

const WORD: Word = { text: 'one', box: [0, 0, 0.5, 1], from: 0, to: 3, source: 'cell', confidence: 1, cell: 'A1' };
const PAGE: Page = {
  pageNumber: 1,
  width: 100,
  height: 60,
  unit: 'cell',
  rotation: 0,
  text: 'one two',
  source: 'cell',
  ocrConfidence: null,
  words: [WORD],
  lines: [{ first: 0, last: 0, box: [0, 0, 1, 1] }],
  rules: [],
  fields: [],
  images: [],
  tables: [],
  warnings: [{ code: 'hidden_rows', message: 'some', pageNumber: 1 }],
};
const CELL = { row: 0, column: 0, rowSpan: 1, columnSpan: 1, text: 'one', pageNumber: 1, box: [0, 0, 0.5, 1] };
const TABLE = {
  ...{ firstPage: 1, lastPage: 1, columns: 2, headerRows: 1, rows: 2, cells: [CELL], found: 'sheet' },
  boxes: [{ pageNumber: 1, box: [0, 0, 1, 1] }],
};
const PRINTED = packPage(PAGE);
const read = (change: object): unknown => acceptReadPage({ page: { ...PRINTED, ...change }, needsOcr: false });
const words = (change: object): object => ({ words: packPage({ ...PAGE, words: [{ ...WORD, ...change }] }).words });

describe('items of a program that a document may have taken over', () => {
  it('are kept as they are when they are as agreed, without members that nobody agreed on', () => {
    const item = { page: { ...PRINTED, orgId: 'another', toString: 'x' }, needsOcr: true, extra: 1 };
    expect(acceptReadPage(item)).toEqual({ page: PAGE, needsOcr: true });
    const known = { ...PAGE, words: [{ ...WORD, fontSize: 10.5, bold: false }] };
    expect(acceptReadPage({ page: packPage(known), needsOcr: true })).toEqual({ page: known, needsOcr: true });
  });

  it.each([
    ['a page without words', { words: undefined }],
    ['a word behind the text', words({ to: 8 })],
    ['a word with a member that is not there', { words: [[...(PRINTED.words[0] ?? []), 'more']] }],
    ['a word that is no list', { words: [WORD] }],
    ['a line of words that are not there', { lines: [{ first: 0, last: 2, box: [0, 0, 1, 1] }] }],
    ['a box outside of the page', { images: [[0, 0, 7, 1]] }],
    ['a number that is none', { width: 'Infinity' }],
    ['a source that there is not', { source: 'telepathy' }],
    ['an address that is none', words({ cell: 'A1; drop' })],
    ['a warning whose code is a sentence', { warnings: [{ code: 'Hello there', message: '' }] }],
    ['a table of a million rows for one cell', { tables: [{ ...TABLE, rows: 1_000_000, columns: 1000 }] }],
    ['a table wider than any sheet', { tables: [{ ...TABLE, rows: 1, columns: 16_385 }] }],
    ['a cell outside of its table', { tables: [{ ...TABLE, cells: [{ ...CELL, row: 2 }] }] }],
    ['a header with more rows than its table', { tables: [{ ...TABLE, headerRows: 3 }] }],
    ['a page number below zero', { pageNumber: -1 }],
  ])('%s is refused', (_what, change) => {
    expect(() => read(change)).toThrow(TypeError);
  });

  it('may be a table with a blank form in it', () => {
    expect(read({ tables: [{ ...TABLE, rows: 100, columns: 100 }] })).toMatchObject({
      page: { tables: [{ rows: 100 }] },
    });
  });

  it('have no character that PostgreSQL does not keep', () => {
    expect(read({ text: 'a\0b\ud800 c' })).toMatchObject({ page: { text: 'a b\ufffd c' } });
  });

  it('are refused when they are of another kind', () => {
    expect(() => acceptSniffed({ kind: 'executable', format: 'other', contentType: 'x' })).toThrow();
    expect(() => acceptInspection({ kind: 'pdf', contentType: 'x', pageCount: 1.5, warnings: [] })).toThrow();
    expect(() => acceptRendered({ pageNumber: 1, width: 1, height: 1, png: '<svg/>' })).toThrow();
    expect(() => acceptReadPage({ pageNumber: 1, failure: { kind: 'limit', limit: 'patience' } })).toThrow();
  });
});
