import type { JudgedLeaf, Judgement } from './judge-document.js';

/** Leaves that count: null beside null does not. */
export interface Counts {
  returned: number;
  gold: number;
  right: number;
}

export interface Share extends Counts {
  precision: number;
  recall: number;
  f1: number;
}

/** What the documents of one class came to. */
export interface ClassFigures {
  documents: number;
  /** Mean over the documents. */
  f1: number;
  /** The same where values that the gold has and the schema does not ask for count as missed. */
  f1WithUnasked: number;
  /** Over all leaves together. */
  micro: Share;
  outsideLists: Share;
  insideLists: Share;
  rows: { returned: number; gold: number; whole: number };
  /** Leaves that were answered although the gold says null, in objects and rows that the gold has. */
  answeredNulls: number;
  /** Leaves of the same that the gold says null of. */
  goldNulls: number;
  /** Leaves in rows that the gold does not have. */
  inExtraRows: number;
  unasked: number;
  /** By pattern, those with the most leaves lost first. */
  fields: ({ pattern: string } & Share)[];
}

export function countLeaves(leaves: readonly JudgedLeaf[]): Counts {
  const counts = { returned: 0, gold: 0, right: 0 };
  for (const { got, gold, right } of leaves) {
    if (got !== null) counts.returned++;
    if (gold !== null) counts.gold++;
    if (got !== null && gold !== null && right) counts.right++;
  }
  return counts;
}

/** A document without anything to find, of which nothing is returned, is all right. */
export function shareOf({ returned, gold, right }: Counts): Share {
  const empty = returned === 0 && gold === 0;
  const precision = returned === 0 ? Number(empty) : right / returned;
  const recall = gold === 0 ? Number(empty) : right / gold;
  return { returned, gold, right, precision, recall, f1: empty ? 1 : (2 * right) / (returned + gold) };
}

export function figuresOf(judged: readonly Judgement[]): ClassFigures {
  const leaves = judged.flatMap((one) => one.leaves);
  const lists = judged.flatMap((one) => one.lists);
  const inLists = (leaf: JudgedLeaf): boolean => leaf.pattern.includes('/*');
  const nulls = leaves.filter(({ gold, row }) => gold === null && row === 'paired');
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    documents: judged.length,
    f1: meanOf(judged.map((one) => shareOf(countLeaves(one.leaves)).f1)),
    f1WithUnasked: meanOf(judged.map((one) => shareOf(withUnasked(one)).f1)),
    micro: shareOf(countLeaves(leaves)),
    outsideLists: shareOf(countLeaves(leaves.filter((leaf) => !inLists(leaf)))),
    insideLists: shareOf(countLeaves(leaves.filter(inLists))),
    rows: {
      returned: sum(lists.map(({ returned }) => returned)),
      gold: sum(lists.map(({ gold }) => gold)),
      whole: sum(lists.map(({ whole }) => whole)),
    },
    answeredNulls: nulls.filter(({ got }) => got !== null).length,
    goldNulls: nulls.length,
    inExtraRows: leaves.filter(({ got, row }) => got !== null && row === 'extra').length,
    unasked: sum(judged.map(({ unasked }) => unasked)),
    fields: fieldsOf(leaves),
  };
}

function withUnasked({ leaves, unasked }: Judgement): Counts {
  const counts = countLeaves(leaves);
  return { ...counts, gold: counts.gold + unasked };
}

function fieldsOf(leaves: readonly JudgedLeaf[]): ClassFigures['fields'] {
  const lost = ({ returned, gold, right }: Counts): number => returned + gold - 2 * right;
  return [...Map.groupBy(leaves, ({ pattern }) => pattern)]
    .map(([pattern, those]) => ({ pattern, ...shareOf(countLeaves(those)) }))
    .sort((one, other) => lost(other) - lost(one));
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
