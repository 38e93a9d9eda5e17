import { munkres } from 'munkres';
import { leavesOf, type LeafTarget } from '../../compile/target.js';
import { CellValues } from './cell-values.js';
import type { FoundTable } from './found-table.js';
import type { HeaderSense } from './header-sense.js';
import type { RowShape } from './row-shape.js';
import { classFit, type LeafNoun } from './value-classes.js';

/** A column that holds the values of a leaf. */
export interface ColumnOfLeaf {
  leaf: LeafTarget;
  column: number;
  values: CellValues;
  /** 0…1: how well its header names the leaf, and its lead over the second best. */
  score: number;
  /** 0…1: how well its header alone does. */
  header: number;
  /** Where each cell begins with a code in brackets: whether the leaf is the code or what stands behind it. */
  part?: 'code' | 'behind';
}

/** A code in brackets before a name. */
export const BRACKETED = /^[[(]([\p{L}\p{N}._/-]{2,})[\])]$/u;

const SHARES = { header: 0.72, fit: 0.28 };
/** What a column without a word of the leaf says by its values: next to nothing, more where they are of a kind that few columns have. */
const UNNAMED = { text: 0.12, identifier: 0.16, number: 0.16, rare: 0.36, class: 0.5 };
const LEAST = 0.3;
const NAMED = 0.3;
const SAMPLE = 30;

/** Which column holds which leaf, so that all together fit best. */
export function assignColumns(shape: RowShape, table: FoundTable, sense: HeaderSense): ColumnOfLeaf[] {
  const { leaves } = shape;
  const headers = table.columns.map(({ words }) => (sense.mayName(words) ? sense.of(words) : []));
  const isOpen = headers.every((scores) => scores.every((score) => score < NAMED));
  if (leaves.length === 0 || table.columns.length === 0 || isOpen) return [];
  const texts = textsOfColumns(table);
  const options = leaves.map((leaf, at) =>
    table.columns.map((_, column): ColumnOfLeaf => {
      const own = texts[column] ?? [];
      const values = new CellValues(leaf, own);
      const header = headers[column]?.[at] ?? 0;
      return {
        leaf,
        column,
        values,
        header,
        score: scoreOf({ leaf, values, header, texts: own, noun: sense.nounOf(at) }),
      };
    }),
  );
  const pairs = munkres(options.map((row) => row.map(({ score }) => 1 - score)));
  const assigned = pairs.flatMap(([at, column]) => {
    const one = options[at]?.[column];
    return one === undefined || one.score < LEAST ? [] : [one];
  });
  return withCodes(shape, assigned, texts);
}

/** A code that has no column of its own may stand before a text. */
function withCodes(shape: RowShape, assigned: ColumnOfLeaf[], texts: readonly (readonly string[])[]): ColumnOfLeaf[] {
  const open = shape.leaves.find((leaf) => isCode(leaf) && !assigned.some((one) => one.leaf === leaf));
  const named = assigned.find(({ leaf, column }) => {
    const own = texts[column] ?? [];
    const coded = own.filter((text) => BRACKETED.test(text.split(' ')[0] ?? ''));
    return leaf.valueKind === 'text' && coded.length >= Math.max(1, own.length / 2);
  });
  if (open === undefined || named === undefined) return assigned;
  const values = new CellValues(open, []);
  const others = assigned.filter((one) => one !== named);
  return [
    ...others,
    { ...named, part: 'behind' },
    { ...named, leaf: open, values, score: 0.55, header: 0, part: 'code' },
  ];
}

function isCode({ valueKind }: LeafTarget): boolean {
  return valueKind === 'identifier';
}

function scoreOf({
  leaf,
  values,
  header,
  texts,
  noun,
}: Pick<ColumnOfLeaf, 'leaf' | 'values' | 'header'> & { texts: readonly string[]; noun: LeafNoun }): number {
  if (texts.length === 0) return header >= 0.6 ? header * SHARES.header : 0;
  if (header >= NAMED) {
    const fit = values.fit(texts);
    return fit < 0.3 && !isTextual(leaf) ? 0 : header * SHARES.header + fit * SHARES.fit;
  }
  const byClass = classFit(noun, texts) * UNNAMED.class;
  const most = unnamed(leaf);
  if (most <= Math.max(LEAST, byClass)) return byClass;
  const fit = values.fit(texts);
  return Math.max(byClass, fit < 0.7 ? 0 : fit * most);
}

function isTextual({ node }: LeafTarget): boolean {
  return node.rules.some(({ type, format, values }) => type === 'string' && format === null && values === null);
}

function unnamed({ valueKind, node }: LeafTarget): number {
  if (node.rules.some(({ values }) => values !== null)) return UNNAMED.rare;
  if (valueKind === 'text') return UNNAMED.text;
  if (valueKind === 'identifier') return UNNAMED.identifier;
  return ['money', 'number', 'integer'].includes(valueKind) ? UNNAMED.number : UNNAMED.rare;
}

const textsKnown = new WeakMap<FoundTable['blocks'], string[][]>();

/** Texts of the first rows of each column; for every list the same. */
function textsOfColumns(table: FoundTable): string[][] {
  let texts = textsKnown.get(table.blocks);
  if (texts === undefined) textsKnown.set(table.blocks, (texts = readTexts(table)));
  return texts;
}

function readTexts({ columns, blocks }: FoundTable): string[][] {
  const texts = columns.map((): string[] => []);
  for (const { rows } of blocks) {
    for (const { cells } of rows) {
      if (cells.length < 2) continue;
      for (const { column, text } of cells) if ((texts[column]?.length ?? SAMPLE) < SAMPLE) texts[column]?.push(text);
    }
  }
  return texts;
}

/** Leaves of the rows for which there is a column. */
export function rowColumns(shape: RowShape, assigned: readonly ColumnOfLeaf[]): ColumnOfLeaf[] {
  const item = shape.levels.at(-1)?.list.item;
  const own = new Set(item === undefined || item.kind === 'list' ? [] : item.kind === 'leaf' ? [item] : leavesOf(item));
  return assigned.filter(({ leaf }) => own.has(leaf));
}
