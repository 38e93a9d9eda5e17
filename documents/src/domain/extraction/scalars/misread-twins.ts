import type { PlacedValue } from './document-index.js';
import type { PartOfDocument } from './part-of-document.js';

/** What is read no more surely than this says nothing against another reading. */
const MORE_SURELY = 0.02;
/** Signs that are compared. */
const LONGEST = 16;
const NONE: ReadonlySet<PlacedValue> = new Set();

/**
 * Values that differ from another one in a single digit and were read less surely than that: of a pair such as `17/08/21` and `17/03/21` in a picture, one is
 * mostly a misread other.
 */
export function misreadTwins(values: readonly PlacedValue[], part: PartOfDocument): ReadonlySet<PlacedValue> {
  if (!part.index.isRecognized) return NONE;
  const read = values
    .map((value) => ({ value, text: digitsOf(value), sureness: part.readOf(value) }))
    .filter(({ text }) => text.length <= LONGEST);
  const best = new Map<string, Map<string, number>>();
  for (const { text, sureness } of read) {
    for (const pattern of patternsOf(text)) {
      const known = best.get(pattern) ?? new Map<string, number>();
      known.set(text, Math.max(known.get(text) ?? 0, sureness));
      best.set(pattern, known);
    }
  }
  const isTwin = (text: string): boolean =>
    patternsOf(text).some((pattern) => {
      const known = best.get(pattern);
      const own = known?.get(text) ?? 0;
      return known !== undefined && [...known.values()].some((other) => other > own + MORE_SURELY);
    });
  return new Set(read.filter(({ text }) => isTwin(text)).map(({ value }) => value));
}

/** Digits and marks, so that signs of currencies beside them do not matter. */
function digitsOf({ block, from, to }: PlacedValue): string {
  return block.text
    .slice(from, to)
    .replaceAll(/[^\p{N}\p{L}./,-]/gu, '')
    .replaceAll(',', '.')
    .replace(/^\p{L}+/u, '');
}

/** A text with each of its digits left open in turn. */
function patternsOf(text: string): string[] {
  return [...text].flatMap((sign, at) => (/\d/u.test(sign) ? [`${text.slice(0, at)}*${text.slice(at + 1)}`] : []));
}
