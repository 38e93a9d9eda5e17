import { singularOf, wordsOf } from '../../schemas/words/name-field.js';
import type { JsonPrimitive } from '../../../../../src/domain/json.js';

const YES: ReadonlySet<string> = new Set(
  'yes y true ja oui si sí sim tak x ✓ ✔ ☑ ☒ ✗ ✘ 🗹 checked selected on'.split(' '),
);
const NO: ReadonlySet<string> = new Set('no n false nein non não nie nee ☐ □ ¨ ❏ o off unchecked'.split(' '));

/** What a word, a sign or a box says; null where it says neither. */
export function truthOf(text: string): boolean | null {
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll(/[[\]().,:]/gu, '');
  if (plain === '' && /^\[\s*\]|^\(\s*\)/u.test(text.trim())) return false;
  if (YES.has(plain)) return true;
  return NO.has(plain) ? false : null;
}

/** The words of a phrase for comparing: in small letters and the singular, without articles. */
export function phraseOf(text: string): string {
  return wordsOf(text).map(singularOf).join(' ');
}

/** The value of a closed list that a phrase says, by its words or as it is written. */
export function valueSaid(text: string, values: readonly JsonPrimitive[]): JsonPrimitive {
  const exact = values.find((value) => String(value) === text.trim());
  if (exact !== undefined) return exact;
  const phrase = phraseOf(text);
  if (phrase === '') return null;
  return values.find((value) => phraseOf(spaced(String(value))) === phrase) ?? null;
}

/** Values such as `net_30` and `netThirty` are words like any other. */
export function spaced(value: string): string {
  return value.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');
}
