import { readText } from './tokens.js';

/** What the database makes the vector of a chunk of. */
export interface ChunkVector {
  /** The words in their order, `x` in the place of what has no stem. */
  words: string;
  /** A vector in the database's own notation: words as they are written, numbers, codes and dates, with their places. */
  lexemes: string;
}

/** Places beyond this are not kept by the database. */
const LAST_PLACE = 16_383;
/** Places of one word that the database keeps. */
const MOST_PLACES = 255;

export function vectorOf(body: string): ChunkVector {
  const { tokens, meanings } = readText(body);
  const places = new Map<string, number[]>();
  const add = (lexeme: string, index: number): void => {
    const known = places.get(lexeme);
    const place = Math.min(index + 1, LAST_PLACE);
    if (known === undefined) places.set(lexeme, [place]);
    else if (known.length < MOST_PLACES) known.push(place);
  };
  tokens.forEach(({ lexemes }, index) => lexemes.forEach((lexeme) => add(lexeme, index)));
  for (const { lexemes, first } of meanings) lexemes.forEach((lexeme) => add(lexeme, first));
  return {
    words: tokens.map(({ word }) => word ?? 'x').join(' '),
    lexemes: [...places].map(([lexeme, at]) => `${quoteLexeme(lexeme)}:${at.join(',')}`).join(' '),
  };
}

/** A lexeme as vectors and queries write it. */
export function quoteLexeme(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
