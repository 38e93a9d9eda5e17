import Table from 'cli-table3';
import { csvCell } from '../../domain/csv/csv-cell.js';
import { inline, safeJson, short } from './escape.js';

export const OUTPUT_FORMATS = ['table', 'json', 'jsonl', 'csv'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** A column: its title, and the member that it shows, as in `progress.pagesDone`. */
export type Columns = Readonly<Record<string, string>>;

/** How data is printed. */
export interface Style {
  format: OutputFormat;
  /** CSV cells as they are, also those that a spreadsheet would run. */
  raw: boolean;
  color: boolean;
  /** The terminal's width; null where there is none. */
  width: number | null;
}

type Row = object;

const MAX_CELL = 60;

/** The text of a list of rows. */
export function renderRows(rows: readonly Row[], columns: Columns, style: Style): string {
  switch (style.format) {
    case 'json':
      return safeJson(rows, 2);
    case 'jsonl':
      return rows.map((row) => safeJson(row)).join('\n');
    case 'csv':
      return renderCsv(rows, columns, style.raw);
    case 'table':
      return rows.length === 0 ? '' : renderTable(rows, columns, style);
  }
}

/** The text of one record: for people its members below each other. */
export function renderRecord(record: Row, columns: Columns, style: Style): string {
  if (style.format === 'json') return safeJson(record, 2);
  if (style.format !== 'table') return renderRows([record], columns, style);
  const titles = Object.keys(columns);
  const width = Math.max(...titles.map((title) => title.length));
  return titles.map((title) => `${title.padEnd(width)}  ${inline(cell(record, columns[title]))}`).join('\n');
}

function renderTable(rows: readonly Row[], columns: Columns, { color, width }: Style): string {
  const titles = Object.keys(columns);
  const most = width === null ? MAX_CELL : Math.max(12, Math.floor(width / titles.length) + 20);
  const table = new Table({
    head: titles,
    chars: PLAIN,
    style: { head: color ? ['bold'] : [], border: [], 'padding-left': 0, 'padding-right': 2 },
  });
  for (const row of rows) table.push(titles.map((title) => short(cell(row, columns[title]), most)));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Arrays become rows of their own, as many as the longest one has items. */
function renderCsv(rows: readonly Row[], columns: Columns, raw: boolean): string {
  const titles = Object.keys(columns);
  const lines = rows.flatMap((row) => {
    const values = titles.map((title) => valueOf(row, columns[title] ?? ''));
    const height = Math.max(1, ...values.map((value) => (Array.isArray(value) ? value.length : 1)));
    return Array.from({ length: height }, (_, at) =>
      values.map((value) => csvCell(textOf(Array.isArray(value) ? (value[at] as unknown) : value), raw)).join(','),
    );
  });
  return [titles.map((title) => csvCell(title, raw)).join(','), ...lines].join('\r\n');
}

function cell(row: Row, path = ''): string {
  const value = valueOf(row, path);
  return Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value);
}

function valueOf(row: Row, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
      row,
    );
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : safeJson(value);
}

const PLAIN = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '', 'bottom-left': '' },
  ...{ 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '' },
};
