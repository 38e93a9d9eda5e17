import { singularOf, wordsOf } from '../../../schemas/words/name-field.js';
import { inEnglish } from './foreign-headers.js';

/** Words that name nothing. */
const SMALL: ReadonlySet<string> = new Set(
  'of the a an in as per for to and or one by on at with from is it be its each'.split(' '),
);
const NUMBERS: ReadonlySet<string> = new Set(['no', 'nr', 'num', 'nbr']);
/** What an amount is without or with, as `excl. VAT`, does not name it. */
const WITHOUT =
  /\b(?:excl?|exkl|incl?|inkl|ohne|without|including|excluding|hors|sans|zzgl|before|after)\b\.? \p{L}+\.?/giu;

/** The words of a header in the singular and in small letters. */
export function headerWords(text: string): string[] {
  const plain = text.replaceAll(WITHOUT, ' ');
  return plainWords(/\p{L}/u.test(plain) ? plain : text);
}

function plainWords(text: string): string[] {
  const words = wordsOf(text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' '));
  const plain = words
    .flatMap((word) => inEnglish(word.toLowerCase()))
    .map(singularOf)
    .map((word) => (NUMBERS.has(word) ? 'number' : word));
  return plain.filter((word) => !SMALL.has(word));
}
