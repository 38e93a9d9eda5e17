import type { JsonPrimitive } from '../../../../../src/domain/json.js';
import type { LeafTarget } from '../compile/target.js';
import type { WordRange } from '../model/reading.js';
import { NORMALIZERS, type NormalizerName } from '../values/normalizers.js';
import type { Features } from './features.js';
import { rangesOf, type TextBlock } from './text-block.js';

/** A value that a leaf may have, with what speaks for it. */
export interface Candidate {
  value: Exclude<JsonPrimitive, null>;
  raw: string;
  normalizedBy: NormalizerName;
  at: WordRange[];
  foundBy: string;
  features: Features;
  /** Of numbers and dates, for comparing. */
  amount: number | null;
  score: number;
}

/** What is said of a candidate before it is weighed. */
export interface Found {
  block: TextBlock;
  from: number;
  to: number;
  normalizedBy: NormalizerName;
  amount?: number | null;
  foundBy: string;
  features: Features;
}

/** A candidate of a part of a block; null where the schema does not take what it says. */
export function candidateOf({ node }: LeafTarget, found: Found): Candidate | null {
  const { block, from, to, normalizedBy, foundBy, features, amount = null } = found;
  const raw = block.text.slice(from, to);
  const value = NORMALIZERS[normalizedBy](raw, node);
  if (value === null || raw.trim() === '') return null;
  return { value, raw, normalizedBy, at: rangesOf(block, from, to), foundBy, features, amount, score: 0 };
}

/** A candidate of several blocks that follow each other, as the lines of an address. */
export function candidateOfBlocks(
  { node }: LeafTarget,
  parts: readonly { block: TextBlock; from: number; to: number }[],
  found: Pick<Found, 'normalizedBy' | 'foundBy' | 'features'>,
): Candidate | null {
  const raw = parts.map(({ block, from, to }) => block.text.slice(from, to)).join('\n');
  const value = NORMALIZERS[found.normalizedBy](raw, node);
  if (value === null) return null;
  const at = parts.flatMap(({ block, from, to }) => rangesOf(block, from, to));
  return { value, raw, at, amount: null, score: 0, ...found };
}

/** The same words, whatever is made of them. */
export function placeOf({ at }: Candidate): string {
  return at.map(({ pageNumber, first, last }) => `${pageNumber}:${first}-${last}`).join(' ');
}

export function overlap(one: Candidate, other: Candidate): boolean {
  return one.at.some((a) =>
    other.at.some((b) => a.pageNumber === b.pageNumber && a.first <= b.last && b.first <= a.last),
  );
}
