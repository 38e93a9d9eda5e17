import type { FigureTable, TableRow } from './figure-table.js';
import type { Measure, Statement } from './measure.js';
import { isNamed, rowWords } from './row-words.js';

/** A row that may be of what is measured. */
export interface RowMatch {
  row: TableRow;
  /** How well its name fits, 0…1. */
  quality: number;
  /** With what speaks for its table. */
  score: number;
}

/** A row with the words by which it is compared. */
export interface NamedRow {
  row: TableRow;
  words: readonly string[];
  /** Words of its caption and its own. */
  captioned: readonly string[];
  statement: Statement | null;
}

const TITLES: readonly (readonly [RegExp, Statement])[] = [
  [/\bcash\s+flows?\b/iu, 'cash'],
  [/\bbalance\s+sheets?\b|\bfinancial\s+(?:position|condition)\b/iu, 'balance'],
  [
    /\bcomprehensive\s+(?:income|loss)|\b(?:stockholders|shareholders|changes in)\b.*\b(?:equity|deficit)\b/iu,
    'equity',
  ],
  [/\bstatements?\b.*\b(?:income|earnings|operations|profit|loss)\b/iu, 'income'],
];
/** How much each name after the first is less likely. */
const LATER_NAME = 0.015;
const BEST = 0.97;
/** Rows of a table that is a whole statement. */
const WHOLE = 8;

export function nameRows(tables: readonly FigureTable[]): NamedRow[] {
  return tables.flatMap((table) => {
    const statement = statementOf(table);
    return table.rows.map((row) => {
      const words = rowWords(row.label);
      return { row, words, captioned: [...rowWords(row.section), ...words], statement };
    });
  });
}

/** The statement that a table is, by its title; of several names the last that no other includes. */
function statementOf({ title, rows }: FigureTable): Statement | null {
  if (rows.length < WHOLE) return null;
  const named = title.split('\n').filter((line) => /\b(?:statements?|sheets?|condition|position)\b/iu.test(line));
  const found = TITLES.filter(([pattern]) => named.some((line) => pattern.test(line))).map(
    ([, statement]) => statement,
  );
  return found.includes('equity') && named.some((line) => /\bincome\s+and\s+comprehensive/iu.test(line))
    ? 'income'
    : (found[0] ?? null);
}

/** The rows that a measure names, the likeliest first. */
export function findRows(measure: Measure, rows: readonly NamedRow[]): RowMatch[] {
  const found = rows.flatMap((named): RowMatch[] => {
    const quality = qualityOf(measure, named);
    if (quality === 0 || !hasFigures(measure, named.row)) return [];
    return [{ row: named.row, quality, score: quality + placeScore(measure, named) }];
  });
  return found.sort((one, other) => other.score - one.score || one.row.number - other.row.number);
}

function qualityOf({ rows, isGrowth, figure }: Measure, { words, captioned }: NamedRow): number {
  for (const [index, name] of rows.entries()) {
    if (isNamed(words, name)) return BEST - LATER_NAME * index;
    if ((figure === 'each' || isGrowth) && isNamed(captioned, name)) return BEST - LATER_NAME * (index + 0.5);
  }
  return 0;
}

/** Balances stand below days, everything else below lengths of time. */
function hasFigures({ statement, isGrowth }: Measure, { cells }: TableRow): boolean {
  const kind = isGrowth ? 'change' : 'period';
  return [...cells.keys()].some((column) => column.kind === kind && isOfStatement(column.period?.months, statement));
}

/** Whether a measure of a statement is given for a length of time, or for a day. */
export function isOfStatement(months: number | null | undefined, statement: Statement | null): boolean {
  if (statement === null || statement === 'note' || months === undefined) return true;
  return (months === null) === (statement === 'balance');
}

function placeScore({ statement }: Measure, named: NamedRow): number {
  if (named.statement === null) return 0;
  if (named.statement === statement) return 0.3;
  return statement === null ? 0.2 : 0.05;
}
