/** A stretch of a page's text, `to` exclusive. */
export interface TextRange {
  from: number;
  to: number;
}

const WORDS = 150;
const OVERLAP = 30;

/** Characters of a stretch: PostgreSQL takes a vector of a megabyte at most, and a result is read whole. */
export const MAX_CHUNK = 16_384;
const SHORT_REST = WORDS + OVERLAP;

/**
 * Cuts the text of a page into stretches of about 150 words, of which each repeats the last 30 of the one before, so that a sentence at a
 * cut is whole in one of them. A short rest belongs to the last stretch. What has no blank for a thousand characters counts as several words.
 */
export function* chunkPage(text: string): Generator<TextRange> {
  const words: TextRange[] = [];
  for (const { 0: word, index } of text.matchAll(/\S{1,1000}/gu)) {
    words.push({ from: index, to: index + word.length });
    while (words.length > SHORT_REST || spanOf(words) > MAX_CHUNK) {
      const count = countOf(words);
      yield { from: words[0]?.from ?? 0, to: words[count - 1]?.to ?? 0 };
      words.splice(0, Math.max(1, count - OVERLAP));
    }
  }
  if (words.length > 0) yield { from: words[0]?.from ?? 0, to: words.at(-1)?.to ?? text.length };
}

const spanOf = (words: readonly TextRange[]): number => (words.at(-1)?.to ?? 0) - (words[0]?.from ?? 0);

/** Words of the next stretch. */
function countOf(words: readonly TextRange[]): number {
  const from = words[0]?.from ?? 0;
  const tooLong = words.findIndex(({ to }) => to - from > MAX_CHUNK);
  return Math.max(1, Math.min(WORDS, words.length, tooLong < 0 ? WORDS : tooLong));
}
