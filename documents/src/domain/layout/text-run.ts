import type { Box, WordSource } from '../page-model.js';

/** A word before it has its place in a page. Its box is in units of the page (points or pixels), not yet in fractions. */
export interface PlacedWord {
  text: string;
  box: Box;
  source: WordSource;
  confidence: number;
  fontSize?: number;
  bold?: boolean;
}

/** Words that stand side by side on one line without a wide gap between them. */
export interface TextRun {
  box: Box;
  words: readonly PlacedWord[];
  /** False for text that runs up, down or aslant on the displayed page. */
  upright: boolean;
}

export const right = (box: Box): number => box[0] + box[2];
export const bottom = (box: Box): number => box[1] + box[3];
export const middle = (box: Box): number => box[1] + box[3] / 2;

/** The smallest box around all of them; they are one at least. */
export function unionOf(boxes: readonly Box[]): Box {
  let [left, top, far, low] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    left = Math.min(left, box[0]);
    top = Math.min(top, box[1]);
    far = Math.max(far, right(box));
    low = Math.max(low, bottom(box));
  }
  return [left, top, far - left, low - top];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Of the lower of two boxes, how much of its height stands beside the other: 0…1. */
export function sharedHeight(a: Box, b: Box): number {
  const shared = Math.min(bottom(a), bottom(b)) - Math.max(a[1], b[1]);
  const lower = Math.min(a[3], b[3]);
  return lower <= 0 ? Number(shared >= 0) : Math.max(0, shared / lower);
}
