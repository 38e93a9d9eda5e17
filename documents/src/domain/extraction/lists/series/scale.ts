import type { ReadLine, Reading, WordRange } from '../../model/reading.js';

/** What a document says of the size of its figures. */
export interface Scale {
  factor: number;
  said: string;
  /** The word that says it. */
  at: WordRange;
  /** Amounts of a single share are not scaled. */
  exceptPerShare: boolean;
  /** Numbers of shares are not scaled either. */
  exceptShares: boolean;
}

const FACTORS: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };
const WORD = /^\(?(thousand|million|billion)s?\b/iu;
const BEFORE = /^\(?in$/iu;

/** A sentence such as `(in millions, except per share amounts)`; null for a line without one. */
export function readScale(line: ReadLine, reading: Reading): Scale | null {
  const words = reading.wordsOf(line);
  const index = words.findIndex(({ text }, at) => WORD.test(text) && BEFORE.test(words[at - 1]?.text ?? ''));
  const word = WORD.exec(words[index]?.text ?? '')?.[1];
  if (word === undefined) return null;
  const at = line.first + index;
  const except = /\bexcept\b(.*)/iu.exec(line.text)?.[1] ?? '';
  return {
    factor: FACTORS[word.toLowerCase()] ?? 1,
    said: /\p{L}+/u.exec(words[index]?.text ?? '')?.[0] ?? word,
    at: { pageNumber: line.pageNumber, first: at, last: at },
    exceptPerShare: /per[ -](?:common )?share|\bpar\b/iu.test(except),
    exceptShares: /\bshares?\b/iu.test(except.replaceAll(/per[ -](?:common )?shares?/giu, '')),
  };
}
