/** A stretch of a page's text, `to` exclusive. */
export interface TextRange {
  from: number;
  to: number;
}

const WORDS = 150;
const OVERLAP = 30;

/**
 * Cuts the text of a page into stretches of about 150 words, of which each repeats the last 30 of the one before, so that a sentence at a
 * cut is whole in one of them. A short rest belongs to the last stretch.
 */
export function chunkPage(text: string): TextRange[] {
  const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ from: index, to: index + word.length }));
  const ranges: TextRange[] = [];
  for (let first = 0; first < words.length; first += WORDS - OVERLAP) {
    const isLast = words.length - first <= WORDS + OVERLAP;
    const last = isLast ? words.length - 1 : first + WORDS - 1;
    ranges.push({ from: words[first]?.from ?? 0, to: words[last]?.to ?? text.length });
    if (isLast) break;
  }
  return ranges;
}
