import type { DocumentIndex } from './document-index.js';
import type { LabelHit } from './find-labels.js';
import { rangesOf, type TextBlock } from './text-block.js';

/** How a place lies to a label. */
export const RELATIONS = ['after', 'right', 'below', 'next', 'before'] as const;
export type Relation = (typeof RELATIONS)[number];

/** A part of a block where the value of a label may stand. */
export interface LabelPlace {
  relation: Relation;
  block: TextBlock;
  from: number;
  to: number;
  /** 0 for the nearest place, growing with what lies between. */
  rank: number;
  /** Whether the label has a column of its own there, so that the words beside it belong to others. */
  isColumn?: boolean;
}

/** Characters of a paragraph behind a label, and before it, in which its value may stand. */
const REACH = 160;

/** Where the value of a label may stand: behind it, to its right, below it, at the beginning of the next block, or before it in a sentence. */
export function placesOfLabel(hit: LabelHit, index: DocumentIndex): LabelPlace[] {
  const { block, from, to } = hit;
  const isLine = block.ranges.length === 1;
  const places: LabelPlace[] = [];
  const rest = block.text.slice(to);
  if (/[\p{L}\p{N}]/u.test(rest)) {
    places.push({ relation: 'after', block, from: to, to: Math.min(block.text.length, to + REACH), rank: 0 });
  }
  if (from > 0 && !isLine)
    places.push({ relation: 'before', block, from: Math.max(0, from - REACH), to: from, rank: 0 });
  if (!isLine) return places;
  const toWhole = (relation: Relation, other: TextBlock, rank: number): LabelPlace => ({
    ...{ relation, block: other, from: 0, to: Math.min(other.text.length, REACH), rank },
  });
  const rights = index.neighbours.rightOf(block).slice(0, 4);
  places.push(...rights.map((other, rank) => toWhole('right', other, rank)));
  const below = index.neighbours.below(block).slice(0, 4);
  places.push(
    ...below.map(({ block: other, lines }) => ({
      ...toWhole('below', other, Math.floor(lines)),
      isColumn: below.some(({ block: beside }) => isColumn(hit, other, beside, index)),
    })),
  );
  const next = index.blocks[block.index + 1];
  const isNew = next !== undefined && !places.some((place) => place.block === next);
  if (isNew && next.pageNumber === block.pageNumber && next.firstLine - block.lastLine <= 1)
    places.push(toWhole('next', next, 0));
  const before = index.blocks[block.index - 1];
  if (from > 0) places.push({ relation: 'before', block, from: 0, to: from, rank: 0 });
  else if (before?.pageNumber === block.pageNumber && before.firstLine + 1 >= block.firstLine)
    places.push(toWhole('before', before, 1));
  return places;
}

/** Whether a label has a column of its own: its words alone stand over a block, and others of its line over a block beside that. */
function isColumn(hit: LabelHit, under: TextBlock, beside: TextBlock, { reading }: DocumentIndex): boolean {
  const { block, from, to } = hit;
  if (under === beside || under.firstLine !== beside.firstLine) return false;
  const isOver = (first: number, last: number, other: TextBlock): boolean =>
    first < last &&
    rangesOf(block, first, last)
      .flatMap((range) => reading.wordsOf(range))
      .some(({ box: [x, , width] }) => x < other.box[0] + other.box[2] && other.box[0] < x + width);
  const isOtherOver = (other: TextBlock): boolean =>
    isOver(0, from - 1, other) || isOver(to + 1, block.text.length, other);
  return isOver(from, to, under) && !isOtherOver(under) && isOtherOver(beside);
}
