import type { Table, TableCell } from '../../../src/domain/page-model.js';
import type { LeafTypes } from './score-schema.js';

/** A sheet that was generated, and what its schema has to be. */
export interface GeneratedSheet {
  name: string;
  table: Table;
  shape?: 'rows' | 'record';
  expected: LeafTypes;
}

/** How cells of a column look, and what they are. */
interface ColumnKind {
  header: string;
  key: string;
  type: string;
  cell(random: () => number, row: number): string;
}

const pick = <T>(random: () => number, of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
const whole = (random: () => number, from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');
const WORDS =
  'amber birch cedar delta ember fjord grove heath inlet jetty knoll ledge marsh notch oasis piers quarry ridge'.split(
    ' ',
  );
const words = (random: () => number, row: number): string => `${pick(random, WORDS)} ${pick(random, WORDS)} ${row}`;

const COLUMNS: readonly ColumnKind[] = [
  { header: 'Item name', key: 'itemName', type: 'string', cell: words },
  { header: 'Article No.', key: 'articleNo', type: 'string', cell: (random) => padded(whole(random, 1, 9_999), 6) },
  {
    header: 'Postal code',
    key: 'postalCode',
    type: 'string',
    cell: (random) => padded(whole(random, 1_000, 99_999), 5),
  },
  { header: 'Pieces', key: 'pieces', type: 'integer', cell: (random) => String(whole(random, 1, 400)) },
  { header: 'Price (EUR)', key: 'price', type: 'number', cell: (random) => (random() * 900 + 1).toFixed(2) },
  {
    header: 'Turnover',
    key: 'turnover',
    type: 'number',
    cell: (random) => `€${whole(random, 1, 9)},${padded(whole(random, 0, 999), 3)}.50`,
  },
  { header: 'Margin', key: 'margin', type: 'number', cell: (random) => `${whole(random, 1, 60)}%` },
  { header: 'Net weight [kg]', key: 'netWeight', type: 'number', cell: (random) => (random() * 40).toFixed(1) },
  {
    header: 'Ordered on',
    key: 'orderedOn',
    type: 'date',
    cell: (random) => `2024-${padded(whole(random, 1, 12), 2)}-${padded(whole(random, 1, 28), 2)}`,
  },
  {
    header: 'Delivery date',
    key: 'deliveryDate',
    type: 'date',
    cell: (random) => String(whole(random, 44_000, 46_000)),
  },
  {
    header: 'Due date',
    key: 'dueDate',
    type: 'date',
    cell: (random) => `${padded(whole(random, 1, 28), 2)}.${padded(whole(random, 1, 12), 2)}.2025`,
  },
  {
    header: 'Begins',
    key: 'begins',
    type: 'time',
    cell: (random) => `${padded(whole(random, 0, 23), 2)}:${padded(whole(random, 0, 59), 2)}`,
  },
  {
    header: 'Logged',
    key: 'logged',
    type: 'date-time',
    cell: (random) => `2023-05-${padded(whole(random, 1, 28), 2)} 10:${padded(whole(random, 0, 59), 2)}:00`,
  },
  { header: 'Confirmed?', key: 'confirmed', type: 'boolean', cell: (random) => pick(random, ['yes', 'no']) },
  {
    header: 'State',
    key: 'state',
    type: 'enum:closed|new|open',
    cell: (_random, row) => ['new', 'open', 'closed'][row % 3] as string,
  },
  { header: 'E-mail', key: 'eMail', type: 'email', cell: (_random, row) => `person${row}@mail.example` },
  { header: 'Link', key: 'link', type: 'uri', cell: (_random, row) => `https://site.example/${row}` },
  {
    header: 'Phone',
    key: 'phone',
    type: 'string',
    cell: (random) => `0${whole(random, 20, 99)} ${whole(random, 100_000, 999_999)}`,
  },
  { header: 'Year', key: 'year', type: 'integer', cell: (random) => String(whole(random, 1990, 2024)) },
  {
    header: 'Balance',
    key: 'balance',
    type: 'number',
    cell: (random) => `-${whole(random, 1, 9)}.${padded(whole(random, 0, 999), 3)},25`,
  },
];

/** Thirty sheets: a header row, a header of two rows, one record, templates of two and three columns, empty cells and odd ones. */
export function generatedSheets(): GeneratedSheet[] {
  return [
    ...Array.from({ length: 12 }, (_, at) => plainSheet(at, 1)),
    ...Array.from({ length: 6 }, (_, at) => plainSheet(at + 12, 2)),
    ...Array.from({ length: 4 }, (_, at) => ({ ...plainSheet(at + 18, 1), shape: 'record' as const })).map(asRecord),
    ...Array.from({ length: 8 }, (_, at) => templateSheet(at)),
  ];
}

function plainSheet(seed: number, headerRows: 1 | 2): GeneratedSheet {
  const random = randomOf(seed + 1);
  const columns = Array.from(
    { length: 5 },
    (_, at) => COLUMNS[(seed * 5 + at * 3) % COLUMNS.length] as ColumnKind,
  ).filter((one, at, all) => all.indexOf(one) === at);
  const rows = 24 + whole(random, 0, 30);
  const cells: TableCell[] = headerCells(columns, headerRows);
  for (let row = 0; row < rows; row++) {
    columns.forEach((one, column) => {
      // One cell in fifteen is empty, and one in a long column is odd.
      if (random() < 1 / 15 && !one.type.startsWith('enum')) return;
      const isOdd = row === 7 && column === 1 && rows > 40 && one.type !== 'string' && !one.type.startsWith('enum');
      cells.push(cellOf(row + headerRows, column, isOdd ? 'unclear' : one.cell(random, row)));
    });
  }
  const prefix = headerRows === 1 ? '' : 'lotData';
  const expected = Object.fromEntries(
    columns.map(({ key, type }, at) => [
      `rows[].${prefix !== '' && at < 2 ? prefix + key.charAt(0).toUpperCase() + key.slice(1) : key}`,
      type,
    ]),
  );
  return {
    name: `plain ${seed} ${headerRows}`,
    table: tableOf(cells, columns.length, rows + headerRows, headerRows),
    expected,
  };
}

/** The first two columns stand under one title in a header of two rows. */
function headerCells(columns: readonly ColumnKind[], headerRows: 1 | 2): TableCell[] {
  if (headerRows === 1) return columns.map(({ header }, column) => cellOf(0, column, header));
  return [
    cellOf(0, 0, 'Lot data', 1, 2),
    ...columns.slice(2).map(({ header }, at) => cellOf(0, at + 2, header, 2, 1)),
    ...columns.slice(0, 2).map(({ header }, column) => cellOf(1, column, header)),
  ];
}

function asRecord(sheet: GeneratedSheet): GeneratedSheet {
  const expected = Object.entries(sheet.expected).map(([path, type]) => [path.replace('rows[].', ''), type]);
  return { ...sheet, expected: Object.fromEntries(expected) as LeafTypes };
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  date: 'Date',
  number: 'Number',
  integer: 'Integer',
  boolean: 'Yes/No',
  email: 'E-mail',
};

/** Names with types; with types and descriptions; or with examples alone. */
function templateSheet(seed: number): GeneratedSheet {
  const random = randomOf(seed + 100);
  const kind = (['types', 'described', 'examples'] as const)[seed % 3] ?? 'types';
  const fields = Array.from({ length: 6 }, (_, at) => COLUMNS[(seed * 7 + at * 3) % COLUMNS.length] as ColumnKind)
    .filter((one, at, all) => all.indexOf(one) === at)
    .map((one) => (one.type.startsWith('enum') || one.header === 'Delivery date' ? (COLUMNS[0] as ColumnKind) : one))
    .filter((one, at, all) => all.indexOf(one) === at);
  const head = { types: ['Field', 'Type'], described: ['Name', 'Type', 'Description'], examples: ['Field', 'Example'] }[
    kind
  ];
  const lines = fields.map((one, row) => {
    if (kind === 'examples') return [one.header, one.cell(random, row)];
    const type = TYPE_WORDS[one.type] ?? 'Text';
    return kind === 'types' ? [one.header, type] : [one.header, type, `What ${one.header} says`];
  });
  const cells = [head, ...lines].flatMap((line, row) => line.map((text, column) => cellOf(row, column, text)));
  const typed = (type: string): string => (kind === 'examples' || type in TYPE_WORDS ? type : 'string');
  const expected = Object.fromEntries(fields.map(({ key, type }) => [key, typed(type)]));
  return { name: `template ${seed} ${kind}`, table: tableOf(cells, head.length, lines.length + 1, 1), expected };
}

function cellOf(row: number, column: number, text: string, rowSpan = 1, columnSpan = 1): TableCell {
  const cell = `${String.fromCharCode(65 + column)}${row + 1}`;
  return { row, column, rowSpan, columnSpan, text, pageNumber: 1, box: [0, 0, 0, 0], cell };
}

function tableOf(cells: TableCell[], columns: number, rows: number, headerRows: number): Table {
  return {
    firstPage: 1,
    lastPage: 1,
    columns,
    headerRows,
    rows,
    cells,
    boxes: [],
    found: 'sheet',
    sheetName: 'Sheet1',
  };
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state / 4_294_967_296;
  };
}
