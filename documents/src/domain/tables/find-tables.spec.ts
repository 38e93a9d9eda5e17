import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assembleText } from '../layout/assemble-text.js';
import type { TextRun } from '../layout/text-run.js';
import type { Box, Page, Rule, Table } from '../page-model.js';
import { findTables } from './find-tables.js';
import { joinedTables } from '../../../test/support/documents/joined-tables.js';

const WIDTH = 600;
const HEIGHT = 800;

function run(text: string, x: number, y: number, bold = false): TextRun {
  let left = x;
  const words = text.split(' ').map((word) => {
    const box: Box = [left, y, word.length * 5, 10];
    left += word.length * 5 + 3;
    return { text: word, box, source: 'text_layer' as const, confidence: 0.99, ...(bold ? { bold } : {}) };
  });
  return { box: [x, y, left - 3 - x, 10], words, upright: true };
}

const rule = (x1: number, y1: number, x2: number, y2: number): Rule => ({
  x1: x1 / WIDTH,
  y1: y1 / HEIGHT,
  x2: x2 / WIDTH,
  y2: y2 / HEIGHT,
});

function pageOf(runs: readonly TextRun[], rules: readonly Rule[] = [], pageNumber = 1): Page {
  const page: Page = {
    pageNumber,
    width: WIDTH,
    height: HEIGHT,
    unit: 'pt',
    rotation: 0,
    source: 'text_layer',
    ocrConfidence: null,
    ...assembleText(runs, WIDTH, HEIGHT),
    rules: [...rules],
    fields: [],
    images: [],
    tables: [],
    warnings: [],
  };
  return { ...page, tables: findTables(page) };
}

/** Texts of a table by row and column; null where no cell begins. */
function gridOf(table: Table): (string | null)[][] {
  const grid = Array.from({ length: table.rows }, () => new Array<string | null>(table.columns).fill(null));
  for (const cell of table.cells) grid[cell.row]![cell.column] = cell.text;
  return grid;
}

const onlyTable = (page: Page): Table => {
  expect(page.tables).toHaveLength(1);
  return page.tables[0]!;
};

describe('tables within ruling lines', () => {
  it('every cell of a grid is found with its text, wherever its lines are drawn double or in pieces', () => {
    const size = fc.record({
      rows: fc.integer({ min: 2, max: 9 }),
      columns: fc.integer({ min: 2, max: 6 }),
      pieces: fc.boolean(),
    });
    fc.assert(
      fc.property(size, ({ rows, columns, pieces }) => {
        const [w, h] = [90, 24];
        const rules: Rule[] = [];
        for (let row = 0; row <= rows; row += 1) {
          if (pieces)
            for (let at = 0; at < columns; at += 1)
              rules.push(rule(30 + at * w, 50 + row * h, 30 + (at + 1) * w, 50.4 + row * h));
          else rules.push(rule(30, 50 + row * h, 30 + columns * w, 50 + row * h));
        }
        for (let column = 0; column <= columns; column += 1) {
          rules.push(rule(30 + column * w, 50, 30 + column * w, 50 + rows * h));
          if (pieces) rules.push(rule(30.8 + column * w, 50, 30.8 + column * w, 50 + rows * h));
        }
        const text = (row: number, column: number) => `r${String(row)}c${String(column)} two`;
        const runs = Array.from({ length: rows * columns }, (_, at) => {
          const [row, column] = [Math.floor(at / columns), at % columns];
          return run(text(row, column), 34 + column * w, 56 + row * h);
        });
        const table = onlyTable(pageOf(runs, rules));
        expect(table).toMatchObject({ found: 'ruled', rows, columns });
        expect(gridOf(table)).toEqual(
          Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (__, column) => text(row, column))),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('a header over two columns is one cell of both, and a text of two lines is one cell', () => {
    const rules = [50, 80, 110, 150].map((y) => rule(30, y, 330, y));
    rules.push(rule(30, 50, 30, 150), rule(330, 50, 330, 150), rule(130, 50, 130, 150), rule(230, 80, 230, 150));
    const runs = [
      run('Year ended', 140, 60, true),
      run('Name', 40, 90, true),
      run('First', 140, 90, true),
      run('Second', 240, 90, true),
      run('A long', 40, 115),
      run('name', 40, 130),
      run('12.50', 140, 115),
      run('7.00', 240, 115),
    ];
    const table = onlyTable(pageOf(runs, rules));
    expect(table.headerRows).toBe(2);
    expect(table.cells.find((cell) => cell.text === 'Year ended')).toMatchObject({
      column: 1,
      columnSpan: 2,
      rowSpan: 1,
    });
    expect(table.cells.map((cell) => cell.text)).toContain('A long name');
  });

  const netFrom = (top: number): Rule[] => [
    ...[30, 130, 230, 330].map((x) => rule(x, top, x, top + 60)),
    ...[0, 20, 40, 60].map((y) => rule(30, top + y, 330, top + y)),
  ];
  const ruledRows = (top: number): TextRun[] =>
    [0, 1, 2].flatMap((row) =>
      ['Olives', '12.50', '7.00'].map((text, at) => run(text, 40 + at * 100, top + 5 + row * 20)),
    );

  it('a line right above the ruling lines, with a text over every column, is the header', () => {
    const names = [run('Item', 40, 85), run('Unit price', 140, 85), run('Sum', 240, 85)];
    const table = onlyTable(pageOf([...names, ...ruledRows(100)], netFrom(100)));
    expect(table).toMatchObject({ headerRows: 1, rows: 4, columns: 3 });
    expect(gridOf(table)[0]).toEqual(['Item', 'Unit price', 'Sum']);
    expect(gridOf(table)[1]).toEqual(['Olives', '12.50', '7.00']);
    expect((table.boxes[0]?.box[1] ?? 0) * HEIGHT).toBeCloseTo(85);
  });

  it('over names of rows the header may be empty', () => {
    const table = onlyTable(pageOf([run('2024', 140, 85), run('2025', 240, 85), ...ruledRows(100)], netFrom(100)));
    expect(gridOf(table)[0]).toEqual([null, '2024', '2025']);
  });

  it.each([
    ['prose', [run('All prices are in euros and hold for the whole of this year', 32, 85)]],
    ['a title over the first columns', [run('Prices', 40, 85), run('2025', 140, 85)]],
    [
      'a line that goes on beside the table',
      [run('A', 40, 85), run('B', 140, 85), run('C', 240, 85), run('D', 400, 85)],
    ],
    ['names that stand far above', [run('Item', 40, 60), run('Price', 140, 60), run('Sum', 240, 60)]],
  ])('%s is none', (_what, above) => {
    const table = pageOf([...above, ...ruledRows(100)], netFrom(100)).tables.find(({ found }) => found === 'ruled');
    expect(table).toMatchObject({ rows: 3 });
  });

  it('nor is the last row of a table that ends right above', () => {
    const { tables } = pageOf([...ruledRows(30), ...ruledRows(96)], [...netFrom(30), ...netFrom(96)]);
    expect(tables.map(({ rows }) => rows)).toEqual([3, 3]);
  });

  it('a frame around a text is no table', () => {
    const rules = [rule(20, 20, 580, 20), rule(20, 700, 580, 700), rule(20, 20, 20, 700), rule(580, 20, 580, 700)];
    const runs = Array.from({ length: 20 }, (_, row) =>
      run('plain words that go over the whole line of this page', 40, 40 + row * 14),
    );
    expect(pageOf(runs, rules).tables).toEqual([]);
  });
});

const PRICES = [
  ['Beeswax', '1.00', '42.00'],
  ['Office chair', '2.00', '70.00'],
  ['Olive oil', '13.00', '0.90'],
  ['Truffles', '15.50', '150.00'],
] as const;

/** Rows of a price list: names from the left, numbers up to the right. */
function priceRows(rows: readonly (readonly [string, string, string])[], y: number, first = 0): TextRun[] {
  return rows.flatMap(([name, quantity, price], index) => {
    const top = y + (first + index) * 16;
    return [run(name, 40, top), run(quantity, 300 - quantity.length * 5, top), run(price, 420 - price.length * 5, top)];
  });
}

const header = (y: number): TextRun[] => [
  run('Item', 40, y, true),
  run('Quantity', 260, y, true),
  run('Price', 395, y, true),
];

describe('tables by alignment alone', () => {
  it('rows, columns and the header are found, whichever side the texts stand at', () => {
    const table = onlyTable(pageOf([run('Prices of the year', 40, 20), ...header(60), ...priceRows(PRICES, 76)]));
    expect(table).toMatchObject({ found: 'aligned', headerRows: 1 });
    expect(gridOf(table)).toEqual([['Item', 'Quantity', 'Price'], ...PRICES]);
  });

  it('the second line of a long name belongs to the row above it', () => {
    const runs = [...header(60), ...priceRows(PRICES.slice(0, 2), 76), run('made of the finest oak', 300 - 110, 104)];
    const table = onlyTable(pageOf([...runs, ...priceRows(PRICES.slice(2), 120)]));
    expect(table.cells.some((cell) => cell.text.includes('made of the finest oak') && cell.row === 2)).toBe(true);
    expect(table.rows).toBe(5);
  });

  it('prose is none, in one column or in two', () => {
    const line = 'as good as any other line that was written here in plain words';
    const one = Array.from({ length: 20 }, (_, row) => run(line, 40, 40 + row * 14));
    const half = 'words of prose that fill a column here';
    const two = Array.from({ length: 20 }, (_, row) => [
      run(half, 30, 40 + row * 14),
      run(half, 320, 40 + row * 14),
    ]).flat();
    expect(pageOf(one).tables).toEqual([]);
    expect(pageOf(two).tables).toEqual([]);
  });
});

describe('tables over several pages', () => {
  const many = Array.from(
    { length: 120 },
    (_, row) => [`Item ${String(row)}`, `${String(row)}.00`, `${String(row * 3)}.50`] as const,
  );
  const pages = (repeated: boolean) =>
    [0, 1, 2].map((page) => {
      const rows = priceRows(many.slice(page * 40, page * 40 + 40), 76);
      return pageOf(
        [
          run('Running title', 40, 20),
          ...(repeated || page === 0 ? header(60) : []),
          ...rows,
          run(`Page ${String(page + 1)}`, 280, 770),
        ],
        [],
        page + 1,
      );
    });

  it.each([
    ['a repeated header, which is kept once', true],
    ['equal edges of the columns', false],
  ])('are one by %s', async (_, repeated) => {
    const [table, ...others] = await joinedTables(pages(repeated));
    expect(others).toEqual([]);
    expect(table).toMatchObject({ firstPage: 1, lastPage: 3, rows: 121, headerRows: 1, columns: 3 });
    expect(gridOf(table!).slice(1)).toEqual(many);
    expect(table!.boxes.map((box) => box.pageNumber)).toEqual([1, 2, 3]);
    expect(table!.cells.filter((cell) => cell.pageNumber === 2)).toHaveLength(120);
  });

  it('are two where a page is missing between them, the columns differ, or prose stands between', async () => {
    const joined = async (...some: Page[]) => (await joinedTables(some)).length;
    const [first, second, third] = pages(true);
    expect(await joined(first!, third!)).toBe(2);
    const shifted = pageOf(
      [
        ...priceRows(many.slice(0, 10), 76).map((one) =>
          run(one.words.map((word) => word.text).join(' '), one.box[0] + 70, one.box[1]),
        ),
      ],
      [],
      2,
    );
    expect(await joined(first!, shifted)).toBe(2);
    const prose = Array.from({ length: 8 }, (_, row) =>
      run('plain words that go over the whole line of this page', 40, 20 + row * 30),
    );
    const below = pageOf([...prose, ...header(300), ...priceRows(many.slice(40, 60), 316)], [], 2);
    expect(await joined(first!, below)).toBe(2);
    expect(await joined(first!, second!)).toBe(1);
  });

  it('pages keep the tables that they have: joining changes none of them', async () => {
    const all = pages(true);
    const before = structuredClone(all);
    await joinedTables(all);
    expect(all).toEqual(before);
  });
});
