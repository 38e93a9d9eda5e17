import type { ListTarget } from '../../compile/target.js';
import type { Reading, Scope } from '../../model/reading.js';
import { isPlural } from '../../../schemas/words/name-field.js';
import { headerWords } from './header-words.js';
import { printedLines, type PrintedLine } from './printed-lines.js';

const ROWS =
  'row item record entry line position result transaction listing posten eintrag position zeile artikel'.split(' ');
/** Lines before and behind a table in which its number of rows may stand. */
const AROUND = 8;
/** Words of a line that states a number. */
const LONGEST = 12;

/** How many rows a document says that a list has, near the table or at its own beginning; null where it says nothing. */
export function statedTotal(list: ListTarget, table: Scope, scope: Scope, reading: Reading): number[] {
  const nouns = new Set([...ROWS, ...headerWords(list.name).slice(-1)]);
  const near = (from: number, to: number): Scope => ({ from: Math.max(scope.from, from), to: Math.min(scope.to, to) });
  const lines = [
    ...printedLines(reading, near(scope.from, scope.from + AROUND)),
    ...printedLines(reading, near(Math.max(scope.from + AROUND, table.from - AROUND), table.from)),
    ...printedLines(reading, near(table.to, table.to + AROUND)),
  ];
  return lines.flatMap((line) => numbersIn(line, nouns));
}

/** The number of items by the name of the list itself, wherever a part of a document counts them, as `Number of orders: 12`; null where it does not. */
export function countedTotal(list: ListTarget, scope: Scope, reading: Reading): number | null {
  const nouns = new Set(headerWords(list.name).slice(-1));
  const counted = printedLines(reading, scope)
    .filter(({ parts }) => isCounted(parts.flatMap(({ text }) => text.split(/[\s:]+/u))))
    .flatMap((line) => numbersIn(line, nouns));
  return counted.length === 0 ? null : Math.max(...counted);
}

function numbersIn({ parts }: PrintedLine, nouns: ReadonlySet<string>): number[] {
  const texts = [...parts.map(({ text }) => text), parts.map(({ text }) => text).join(' ')];
  const found = texts.filter((text) => text.split(' ').length <= LONGEST).flatMap((text) => numberIn(text, nouns));
  return [...new Set(found)];
}

/** `Total rows: 120`, `120 records`, `Number of items 40`. */
function numberIn(text: string, nouns: ReadonlySet<string>): number[] {
  const words = text.split(/[\s:=()[\]]+/u).filter((word) => word !== '');
  const isNoun = (word: string | undefined): boolean =>
    word !== undefined && headerWords(word).some((one) => nouns.has(one));
  return words.flatMap((word, at) => {
    const number = /^\d{1,3}(?:[,.'’]\d{3})*$|^\d{1,7}$/u.test(word) ? Number(word.replaceAll(/\D/gu, '')) : 0;
    if (number < 1) return [];
    const isBefore = isNoun(words[at + 1]) && !/\d/u.test(words[at - 1] ?? '');
    const isAtStart =
      at === 0 || /^(?:total|showing|all|of|insgesamt|gesamt|with|contains|has)$/iu.test(words[at - 1] ?? '');
    // `Order: 4711` is a number of another kind than `Orders: 47`.
    const isNamed = isCounted(words.slice(0, at)) || (text.includes(':') && isPlural(words[at - 1] ?? ''));
    const isBehind = isNoun(words[at - 1]) && words.length === at + 1 && isNamed;
    return (isBefore && isAtStart) || isBehind ? [number] : [];
  });
}

function isCounted(words: readonly string[]): boolean {
  return words.some((word) => /^(?:total|number|count|no|anzahl|nombre|aantal|quantity)\.?$/iu.test(word));
}
