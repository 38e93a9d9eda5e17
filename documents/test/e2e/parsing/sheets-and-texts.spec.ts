import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { utils, write, type BookType } from '@e965/xlsx';
import type { Page } from '../../../src/domain/page-model.js';
import { DocumentReader } from '../../../src/platform/parsing/document-reader.js';
import type { Format } from '../../../src/platform/parsing/sniff-request.js';
import { testJail } from '../../support/parsing/jail.js';
import { plainWorkbook } from '../../support/parsing/plain-workbook.js';
import { writeZip, zipEntry } from '../../support/parsing/write-zip.js';

describe('sheets and texts', () => {
  const reader = new DocumentReader(testJail());
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(realpathSync(tmpdir()), 'docsvc-sheets-'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const file = (name: string, content: string | Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const pagesOf = async (path: string, format: Format, from = 1, to = 50): Promise<Page[]> => {
    const { items, failure } = await reader.read(path, format, { from, to });
    expect(failure).toBeNull();
    return items.map((item) => ('page' in item ? item.page : expect(item).toHaveProperty('page')) as Page);
  };

  it.each([
    ['xlsx', 'xlsx', '$1,234.50'],
    ['xls', 'biff8', '$1,234.50'],
    ['ods', 'ods', '1234.5'],
  ] as const)(
    'DI-005 %s: a sheet is a page with its name, cells have their addresses, results are those of the file',
    async (format, type, amount) => {
      const path = file(`book.${format}`, workbook(type));
      const sniffed = await reader.sniff(path, { name: 'lies.pdf' });
      expect(sniffed).toMatchObject({ items: [{ kind: 'spreadsheet', format }], failure: null });
      expect(await reader.inspect(path, format)).toMatchObject({
        items: [{ kind: 'spreadsheet', pageCount: 2 }],
        failure: null,
      });
      const [first, second] = await pagesOf(path, format);
      expect(first).toMatchObject({
        pageNumber: 1,
        sheetName: 'Übersicht',
        unit: 'cell',
        source: 'cell',
        width: 4,
        height: 7,
      });
      const lines = first?.text.split('\n') ?? [];
      expect(lines.slice(0, 5)).toEqual([
        'Invoices 2024',
        'Number Date Customer Amount',
        `1001 2024-01-05 Ada & Co ${amount}`,
        '123456789012 2024-02-29 13:30:00 Straße 7 99',
        'Total 1333.5',
      ]);
      expect(first?.words.find(({ text }) => text === 'Straße')).toMatchObject({
        cell: 'C4',
        box: [0.5, 3 / 7, 0.25, 1 / 7],
      });
      for (const word of first?.words ?? []) expect(first?.text.slice(word.from, word.to)).toBe(word.text);
      expect(first?.words[0]).toMatchObject({ cell: 'A1', box: [0, 0, 1, 1 / 7] });
      expect(first?.tables).toMatchObject([
        { cellRange: 'A2:D4', headerRows: 1, columns: 4, rows: 3, sheetName: 'Übersicht' },
      ]);
      expect(first?.tables[0]?.cells.at(-1)).toMatchObject({ row: 2, column: 3, text: '99', cell: 'D4' });
      expect(second).toMatchObject({ pageNumber: 2, sheetName: 'Two', text: 'a b\n1 2' });
    },
  );

  it('DI-005 hidden rows, columns and sheets are read and said', async () => {
    const path = file('hidden.xlsx', workbook('xlsx'));
    const [first, second] = await pagesOf(path, 'xlsx');
    expect(first?.warnings.map(({ code }) => code)).toEqual([
      'hidden_rows',
      'hidden_columns',
      'formulas_without_results',
    ]);
    expect(first?.warnings[0]?.message).toContain(': 4');
    expect(second?.warnings.map(({ code }) => code)).toEqual(['hidden_sheet']);
    expect(await pagesOf(path, 'xlsx', 2, 2)).toEqual([second]);
  });

  it('macros and links to other files are flagged and left alone', async () => {
    const path = join(folder, 'macros.xlsx');
    const parts = [zipEntry('xl/vbaProject.bin', 'x'), zipEntry('xl/externalLinks/externalLink1.xml', '<x/>')];
    writeZip(path, [...plainWorkbook('<sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData>'), ...parts]);
    const { items } = await reader.inspect(path, 'xlsx');
    expect(items[0]?.warnings.map(({ code }) => code)).toEqual(['macros_ignored', 'external_links_ignored']);
    expect(await pagesOf(path, 'xlsx')).toMatchObject([{ text: '7', words: [{ cell: 'A1' }] }]);
  });

  it('a sheet with more cells than a page has says how many it left out', async () => {
    const cells = (row: number): string =>
      Array.from({ length: 201 }, (_, at) => `<c><v>${(row * 7919 + at * 104_729) % 1e6}</v></c>`).join('');
    const rows = Array.from({ length: 1000 }, (_, at) => `<row r="${at + 1}">${cells(at)}</row>`);
    const path = join(folder, 'wide.xlsx');
    writeZip(path, plainWorkbook(`<sheetData>${rows.join('')}</sheetData>`));
    const [page] = await pagesOf(path, 'xlsx');
    expect(page?.words).toHaveLength(200_000);
    expect(page?.warnings.map(({ code }) => code)).toEqual(['cells_left_out']);
    expect(page?.warnings[0]?.message).toContain('200000 cells: 1000 ');
  });

  it('a sheet whose few cells stand far apart comes to tables of a size that their cells are worth', async () => {
    const rows = Array.from(
      { length: 12_000 },
      (_, at) => `<row r="${at + 1}">${numberAt(at, at)}${numberAt(at, at + 1)}</row>`,
    );
    const far = `<row r="1000000">${numberAt(999_999, 0)}${numberAt(999_999, 15_999)}</row>`;
    const title = '<mergeCells count="1"><mergeCell ref="A1:WVG1"/></mergeCells>';
    const path = join(folder, 'sparse.xlsx');
    writeZip(path, plainWorkbook(`<sheetData>${rows.join('')}${far}</sheetData>${title}`));
    const [page] = await pagesOf(path, 'xlsx');
    expect(page?.words).toHaveLength(24_002);
    const places = page?.tables.reduce((sum, table) => sum + table.rows * table.columns, 0);
    expect(places).toBeLessThan(24_002 * 400);
    const cells = page?.tables.reduce((sum, table) => sum + table.cells.length, 0);
    expect(cells).toBeGreaterThan(23_000);
  });

  it.each([
    ['commas', 'name,amount\n"Ada, Co",1.5\nBob,2.5\n', 'csv'],
    ['semicolons', 'name;amount\n"Ada, Co";1,5\nBob;2,5\n', 'csv'],
    ['tabs', 'name\tamount\nAda, Co\t1.5\nBob\t2.5\n', 'tsv'],
  ] as const)('a table in text form is known by its %s', async (_name, text, format) => {
    const path = file('table', text);
    expect(await reader.sniff(path, {})).toMatchObject({ items: [{ kind: 'spreadsheet', format }] });
    const [page] = await pagesOf(path, format);
    expect(page?.tables).toMatchObject([{ rows: 3, columns: 2, headerRows: 1, cellRange: 'A1:B3' }]);
    expect(page?.tables[0]?.cells[2]).toMatchObject({ text: 'Ada, Co', cell: 'A2' });
  });

  it('a quotation mark that nothing closes is a sign like any other', async () => {
    const [page] = await pagesOf(file('inches.csv', 'size,n\n"5,1\n6,2\n'), 'csv');
    expect(page?.text).toBe('size n\n"5 1\n6 2');
  });

  it.each([
    ['UTF-8', Buffer.from('Grüße aus Łódź\n')],
    ['UTF-8 with a mark', Buffer.from('\ufeffGrüße aus Łódź\n')],
    ['UTF-16', Buffer.from('\ufeffGrüße aus Łódź\n', 'utf16le')],
    ['UTF-16, high byte first', Buffer.from('\ufeffGrüße aus Łódź\n', 'utf16le').swap16()],
  ])('a text is read in %s', async (_name, bytes) => {
    const path = file('text.txt', bytes);
    expect(await reader.sniff(path, { name: 'text.txt' })).toMatchObject({
      items: [{ kind: 'text', format: 'plain' }],
    });
    expect(await pagesOf(path, 'plain')).toMatchObject([
      { text: 'Grüße aus Łódź', words: [{ text: 'Grüße' }, {}, {}] },
    ]);
  });

  it('a text that is not UTF-8, were it only at its end, is Latin-1', async () => {
    const path = file('latin.txt', Buffer.from(`${'x\n'.repeat(700_000)}Größe\n`, 'latin1'));
    const { items } = await reader.inspect(path, 'plain');
    const last = Math.ceil(700_001 / 60);
    expect(items).toMatchObject([{ pageCount: last }]);
    const [page] = await pagesOf(path, 'plain', last, last);
    expect(page?.text.split('\n').at(-1)).toBe('Größe');
  });

  it('a page of text has sixty lines, and what is longer than a line goes on in the next', async () => {
    const path = file('long.md', `# Title\n\n${'word '.repeat(300)}\n${'y'.repeat(250)}\n${'line\n'.repeat(80)}`);
    expect(await reader.sniff(path, { name: 'long.md' })).toMatchObject({
      items: [{ kind: 'text', format: 'markdown' }],
    });
    const pages = await pagesOf(path, 'markdown');
    expect(pages.map(({ pageNumber }) => pageNumber)).toEqual([1, 2]);
    expect(pages[0]?.text.split('\n')).toHaveLength(60);
    for (const { words } of pages) for (const { box } of words) expect(box[0] + box[2]).toBeLessThanOrEqual(1);
    expect(pages.flatMap(({ words }) => words).filter(({ text }) => text === 'word')).toHaveLength(300);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a program', Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0', 'latin1')],
    ['bytes that no text has', Buffer.from([1, 2, 3, 0, 255])],
    ['an archive', Buffer.from('PK\x05\x06' + '\0'.repeat(18), 'latin1')],
  ])('%s is kept and not read, whatever its name says', async (_name, bytes) => {
    const path = file('claims.csv', bytes);
    expect(await reader.sniff(path, { name: 'claims.csv' })).toMatchObject({
      items: [{ kind: 'other', format: 'other' }],
      failure: null,
    });
    expect(await reader.inspect(path, 'other')).toMatchObject({ items: [], failure: { kind: 'unsupported' } });
  });
});

const numberAt = (row: number, column: number): string =>
  `<c r="${utils.encode_cell({ r: row, c: column })}"><v>${row}</v></c>`;

function workbook(bookType: BookType): Buffer {
  const day = (month: number, date: number, hours = 0, minutes = 0): Date =>
    new Date(Date.UTC(2024, month, date, hours, minutes));
  const sheet = utils.aoa_to_sheet(
    [
      ['Invoices 2024'],
      ['Number', 'Date', 'Customer', 'Amount'],
      [1001, day(0, 5), 'Ada & Co', { t: 'n', v: 1234.5, z: '"$"#,##0.00' }],
      [123_456_789_012, day(1, 29, 13, 30), 'Straße 7', 99],
      [],
      ['Total', null, null, { t: 'n', f: 'SUM(D3:D4)', v: 1333.5 }],
      ['New', null, null, { t: 'n', f: 'D6*2' }],
    ],
    { cellDates: true, UTC: true },
  );
  sheet['!merges'] = [{ s: { r: 0, c: 0 }, e: { r: 0, c: 3 } }];
  sheet['!rows'] = [{}, {}, {}, { hidden: true }];
  sheet['!cols'] = [{}, {}, { hidden: true }];
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, 'Übersicht');
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      ['a', 'b'],
      [1, 2],
    ]),
    'Two',
  );
  book.Workbook = { Sheets: [{ name: 'Übersicht' }, { name: 'Two', Hidden: 1 }] };
  return write(book, { type: 'buffer', bookType, compression: true }) as Buffer;
}
