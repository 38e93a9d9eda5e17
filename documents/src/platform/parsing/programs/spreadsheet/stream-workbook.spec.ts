import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { utils, write } from '@e965/xlsx';
import { openWorkbook, sheetOf } from './read-workbook.js';
import type { Sheet } from './sheet.js';
import { streamSheets } from './stream-workbook.js';

describe('a workbook too large to be held', () => {
  let folder: string;
  let path: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'docsvc-stream-'));
    path = join(folder, 'book.xlsx');
    const book = utils.book_new();
    const day = new Date(Date.UTC(2024, 1, 29, 13, 30));
    const rows = [
      ['Name', 'Amount', 'Day'],
      ['Ada  & Co', { t: 'n', v: 1234.5, z: '0.00' }, day],
      [123_456_789_012, true, null],
    ];
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows, { cellDates: true, UTC: true }), 'First');
    utils.book_append_sheet(book, utils.aoa_to_sheet([['second', { t: 'n', f: 'A1*2', v: 4 }]]), 'Second');
    book.Workbook = { Sheets: [{ name: 'First' }, { name: 'Second', Hidden: 1 }] };
    writeFileSync(path, write(book, { type: 'buffer', bookType: 'xlsx', bookSST: true, compression: true }) as Buffer);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const stream = async (from: number, to: number): Promise<Map<number, Sheet>> => {
    const found = new Map<number, Sheet>();
    for await (const { index, sheet } of streamSheets(path, from, to)) found.set(index, sheet);
    return found;
  };

  it('has the same cells as one that is held', async () => {
    const streamed = await stream(1, 50);
    const held = openWorkbook(path, { sheets: [0, 1], password: undefined, hasStyles: true });
    for (const index of [0, 1]) {
      const { cells, name } = sheetOf(held, index);
      expect(streamed.get(index)?.cells.map(({ row, column, text }) => ({ row, column, text }))).toEqual(
        cells.map(({ row, column, text }) => ({ row, column, text })),
      );
      expect(streamed.get(index)).toMatchObject({ name, isLayoutKnown: false });
    }
    expect(streamed.get(1)?.hidden.sheet).toBe(true);
  });

  it('gives the sheets that are asked for alone', async () => {
    expect([...(await stream(2, 2)).keys()]).toEqual([1]);
  });
});
