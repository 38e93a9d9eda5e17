import Table from 'cli-table3';
import { Document, visit } from 'yaml';
import { CliError, EXIT } from './exit-codes.js';
import { HIDDEN, block, short } from './escape.js';

const OUTPUT_FORMATS = ['table', 'json', 'yaml'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface Column<T> {
  readonly title: string;
  readonly value: (row: T) => string;
  /** Longest text in a table; JSON and YAML are never cut. */
  readonly width?: number;
}

const DEFAULT_WIDTH = 60;

export function parseFormat(text: string): OutputFormat {
  const format = OUTPUT_FORMATS.find((known) => known === text);
  if (format === undefined)
    throw new CliError(`-o takes ${OUTPUT_FORMATS.join(', ')}, not ${short(text, 20)}`, EXIT.usage);
  return format;
}

/** Prints rows: a table for people, the server's own documents for programs. */
export function printRows<T>(
  format: OutputFormat,
  rows: readonly T[],
  columns: readonly Column<T>[],
  empty: string,
): void {
  if (format !== 'table') return printDocument(format, rows);
  write(rows.length === 0 ? empty : renderTable(rows, columns));
}

/** Prints one record: its members below each other for people. */
export function printRecord(
  format: OutputFormat,
  document: unknown,
  members: readonly (readonly [string, string])[],
): void {
  if (format !== 'table') return printDocument(format, document);
  const width = Math.max(...members.map(([name]) => name.length));
  write(
    members
      .map(([name, value]) => `${name.padEnd(width)}  ${block(value).replaceAll('\n', `\n${' '.repeat(width + 2)}`)}`)
      .join('\n'),
  );
}

/** For programs: the document whole, with characters that a terminal obeys written as escapes of the format (docs/design/terminal.md). */
export function printDocument(format: 'json' | 'yaml', document: unknown): void {
  write(format === 'json' ? toJson(document) : toYaml(document));
}

/** JSON escapes C0 controls itself, but not the other characters that steer or hide. */
export function toJson(document: unknown, indent = 2): string {
  return JSON.stringify(document, null, indent).replace(UNSAFE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

export function toYaml(document: unknown): string {
  const tree = new Document(JSON.parse(JSON.stringify(document)));
  visit(tree, {
    Scalar(_, node) {
      // Only a double-quoted scalar has escapes.
      if (typeof node.value === 'string' && UNSAFE.test(node.value)) node.type = 'QUOTE_DOUBLE';
      UNSAFE.lastIndex = 0;
    },
  });
  const text = tree.toString({ lineWidth: 0 }).trimEnd();
  return text.replace(UNSAFE, (character) => `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`);
}

export function write(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Line feeds are the document's own; the other C0 controls are escaped by both formats already. */
const UNSAFE = new RegExp(`[\\u007F-\\u009F]|${HIDDEN}`, 'gu');

function renderTable<T>(rows: readonly T[], columns: readonly Column<T>[]): string {
  const table = new Table({
    head: columns.map((column) => column.title),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
    chars: PLAIN_BORDERS,
  });
  for (const row of rows) table.push(columns.map((column) => short(column.value(row), column.width ?? DEFAULT_WIDTH)));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const NO_BORDER = '';
const PLAIN_BORDERS = {
  top: NO_BORDER,
  'top-mid': NO_BORDER,
  'top-left': NO_BORDER,
  'top-right': NO_BORDER,
  bottom: NO_BORDER,
  'bottom-mid': NO_BORDER,
  'bottom-left': NO_BORDER,
  'bottom-right': NO_BORDER,
  left: NO_BORDER,
  'left-mid': NO_BORDER,
  mid: NO_BORDER,
  'mid-mid': NO_BORDER,
  right: NO_BORDER,
  'right-mid': NO_BORDER,
  middle: NO_BORDER,
};

/** What a table shows of a text of several lines. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
