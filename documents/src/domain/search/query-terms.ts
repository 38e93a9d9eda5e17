import { isQuestionWord } from './question-words.js';
import { fold, readText, type Meaning, type ReadText, type Token } from './tokens.js';

/** Something that a query asks for: a word, a number, a date. */
export interface QueryTerm {
  /** In lower case; its stems and, where nobody knows it, words like it are looked for as well. Null where it is no word. */
  word: string | null;
  /** What it is found by as it is. */
  lexemes: string[];
  /** Terms that together say the same less exactly, such as day, month and year of a date. */
  parts: QueryTerm[];
  /** It may be missing and counts little. */
  isSoft: boolean;
  /** Number of the token in the query where it begins, by which neighbours are known. */
  place: number;
}

export interface ReadQuery {
  terms: QueryTerm[];
  /** Words that stood in quotation marks: they have to follow each other. */
  phrases: string[][];
}

/** More terms say nothing more, and each costs time. */
export const MOST_TERMS = 24;
const MOST_PHRASES = 4;
const MOST_PHRASE_WORDS = 12;

/** Reads what somebody typed. Nothing in it is an operator but quotation marks; an odd one is left out. */
export function readQuery(query: string): ReadQuery {
  const text = query.normalize('NFC').replaceAll('\u0000', ' ');
  return { terms: readTerms(readText(text)), phrases: readPhrases(text) };
}

function readTerms(read: ReadText): QueryTerm[] {
  const terms: QueryTerm[] = [];
  for (let at = 0; at < read.tokens.length && terms.length < MOST_TERMS; at += 1) {
    const meaning = widestAt(read.meanings, at);
    const tokens = read.tokens
      .slice(at, (meaning?.last ?? at) + 1)
      .map((token, index) => termOf(token, at + index, read.tokens[at + index - 1]));
    if (meaning === undefined) terms.push(...tokens);
    else if (isJoined(meaning))
      terms.push(...tokens.map((term) => ({ ...term, lexemes: [...term.lexemes, ...meaning.lexemes] })));
    else terms.push({ word: null, lexemes: exactDates(meaning.lexemes), parts: tokens, isSoft: false, place: at });
    at = meaning?.last ?? at;
  }
  return withoutRepetitions(terms.filter(({ lexemes }) => lexemes.length > 0)).slice(0, MOST_TERMS);
}

/** What follows `how` says what is wanted: `how high`, `how long`. */
const termOf = ({ word, lexemes }: Token, place: number, before: Token | undefined): QueryTerm => ({
  word,
  lexemes: exactDates(lexemes),
  parts: [],
  isSoft: word !== null && (isQuestionWord(word) || before?.word === 'how'),
  place,
});

function widestAt(meanings: readonly Meaning[], at: number): Meaning | undefined {
  return meanings
    .filter(({ first }) => first === at)
    .reduce<Meaning | undefined>(
      (widest, meaning) => (widest === undefined || meaning.last > widest.last ? meaning : widest),
      undefined,
    );
}

/** Words written together, such as `back-propagation`. */
const isJoined = ({ lexemes }: Meaning): boolean => lexemes.every((lexeme) => !/^[#@]/u.test(lexeme));

/** Who names a day does not mean its month. */
function exactDates(lexemes: readonly string[]): string[] {
  const days = lexemes.filter((lexeme) => /^@\d{8}$/u.test(lexeme));
  return days.length === 0 ? [...lexemes] : lexemes.filter((lexeme) => !/^@\d{6}$/u.test(lexeme));
}

/** The first of each. */
function withoutRepetitions(terms: readonly QueryTerm[]): QueryTerm[] {
  const seen = new Set<string>();
  return terms.filter(({ lexemes }) => {
    const key = lexemes.join(' ');
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function readPhrases(text: string): string[][] {
  return [...text.matchAll(/["“„«]([^"“”„«»]+)["”“»]/gu)]
    .slice(0, MOST_PHRASES)
    .map(([, inside = '']) =>
      readText(inside)
        .tokens.flatMap(({ word }) => (word === null ? [] : [fold(word)]))
        .slice(0, MOST_PHRASE_WORDS),
    )
    .filter(({ length }) => length > 1);
}
