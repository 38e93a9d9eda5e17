import { singularOf, wordsOf } from '../../../schemas/words/name-field.js';

/** Words that mean the same where rows are named. */
const SAME: Readonly<Record<string, string>> = {
  ...{ earning: 'income', sale: 'revenue', turnover: 'revenue', stockholder: 'holder', shareholder: 'holder' },
  ...{ shareowner: 'holder', stockholding: 'holder', deficit: 'equity', capitalised: 'capital', expens: 'expense' },
};
const IGNORED: ReadonlySet<string> = new Set([
  ...['consolidated', 'condensed', 'reported', 'approximately', 'and', 'of', 'for', 'to', 'in', 'on', 'by', 'from'],
]);
/** `(loss)`, `(A)`, `(1)`: a bracket says what else a row may be, or where a note stands. */
const BRACKET = /\([^()]{0,60}\)/gu;
/** What is taken off is said after the name. */
const REST = /,\s*(?:net$|net of|less|including|excluding|at cost|at par|at fair)\b.*$/iu;

/** The words that name a row, in the singular, the same for what means the same. */
export function rowWords(label: string): string[] {
  const name = label
    .replaceAll(BRACKET, ' ')
    .replace(REST, '')
    .replaceAll(/\/\p{L}+/gu, ' ');
  return wordsOf(name)
    .map((word) => singularOf(word.toLowerCase()))
    .map((word) => SAME[word] ?? word)
    .filter((word) => !IGNORED.has(word));
}

/** Whether words are those of a name, in which `*` stands for up to four words. */
export function isNamed(words: readonly string[], name: readonly string[]): boolean {
  const [first, ...rest] = name;
  if (first === undefined) return words.length === 0;
  if (first !== '*') return words[0] === first && isNamed(words.slice(1), rest);
  return [1, 2, 3, 4].some((count) => words.length >= count && isNamed(words.slice(count), rest));
}
