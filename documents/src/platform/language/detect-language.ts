import { eld } from 'eld/extrasmall';

/** More of a page does not make the guess better. */
const CHARACTERS = 2000;
/** Fewer words are of any language. */
const MIN_WORDS = 8;

/** The language of a text by its ISO 639-1 code; null where it cannot be told, as of tables of numbers. */
export function detectLanguage(text: string): string | null {
  const words = text.slice(0, CHARACTERS).match(/\p{L}{2,}/gu) ?? [];
  if (words.length < MIN_WORDS) return null;
  const guess = eld.detect(words.join(' '));
  return guess.language !== '' && guess.isReliable() ? guess.language : null;
}
