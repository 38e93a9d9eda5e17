import type { KnownTerm } from './query-plan.js';
import { readText, type ReadText } from './tokens.js';

/** What a chunk is searched for when its best stretch is shown. */
export interface SoughtTerm {
  lexemes: ReadonlySet<string>;
  /** Beginnings of words that have the same stem. */
  stems: readonly string[];
  weight: number;
  /** The word that was asked for is unknown, and one like it stands for it. */
  isRepaired: boolean;
}

/** A place in a text that says what was asked, `to` exclusive. */
export interface Hit {
  from: number;
  to: number;
  term: SoughtTerm;
}

/** A stretch of a text, verbatim. */
export interface Excerpt {
  text: string;
  from: number;
  to: number;
  hits: Hit[];
}

/** Longest excerpt; a citation holds no more. */
const LONGEST = 300;
/** Letters by which a word may be longer than its stem. */
const LONGEST_ENDING = 6;
const SHORTEST_STEM = 3;

/** What stands for the terms of a query in a text; dates and numbers with their parts. */
export function soughtTerms(terms: readonly KnownTerm[]): SoughtTerm[] {
  return terms.flatMap((known) => [
    ...(known.lexemes.length === 0 ? [] : [soughtTerm(known)]),
    ...known.parts.filter(({ lexemes }) => lexemes.length > 0).map((part) => ({ ...soughtTerm(part), weight: 0.3 })),
  ]);
}

function soughtTerm({ lexemes, likeness, term }: KnownTerm): SoughtTerm {
  const stems = lexemes.filter((lexeme) => lexeme.length >= SHORTEST_STEM && /^\p{L}+$/u.test(lexeme));
  return {
    lexemes: new Set(lexemes),
    stems: stems.map((stem) => stem.replace(/(?<=..)[iy]$/u, '')),
    weight: term.isSoft ? 0.1 : 1,
    isRepaired: likeness < 1,
  };
}

/** The stretch of a text that has most of what was asked, at most 300 characters, from the beginning of a word to the end of one. */
export function cutExcerpt(text: string, terms: readonly SoughtTerm[]): Excerpt {
  const read = readText(text);
  const hits = findHits(read, terms);
  const best = bestStart(hits);
  const { from, to } = stretch(text, best?.from ?? 0, lastWithin(hits, best)?.to ?? 0);
  return { text: text.slice(from, to), from, to, hits: hits.filter((hit) => hit.from >= from && hit.to <= to) };
}

function findHits({ tokens, meanings }: ReadText, terms: readonly SoughtTerm[]): Hit[] {
  const ofTokens = tokens.flatMap(({ word, lexemes, from, to }) => {
    const term = terms.find(
      (sought) => lexemes.some((lexeme) => sought.lexemes.has(lexeme)) || isInflected(word, sought),
    );
    return term === undefined ? [] : [{ from, to, term }];
  });
  const ofMeanings = meanings.flatMap(({ lexemes, first, last }) => {
    const term = terms.find((sought) => lexemes.some((lexeme) => sought.lexemes.has(lexeme)));
    return term === undefined ? [] : [{ from: tokens[first]?.from ?? 0, to: tokens[last]?.to ?? 0, term }];
  });
  const covered = ofTokens.filter((hit) => !ofMeanings.some(({ from, to }) => hit.from >= from && hit.to <= to));
  return [...covered, ...ofMeanings].sort((one, other) => one.from - other.from);
}

const isInflected = (word: string | null, { stems }: SoughtTerm): boolean =>
  word !== null && stems.some((stem) => word.startsWith(stem) && word.length - stem.length <= LONGEST_ENDING);

/** The hit from which the next 300 characters have most of the terms. */
function bestStart(hits: readonly Hit[]): Hit | undefined {
  let best: { hit: Hit; worth: number } | undefined;
  for (const [index, hit] of hits.entries()) {
    const within = hitsWithin(hits, index);
    const worth =
      [...new Set(within.map(({ term }) => term))].reduce((sum, { weight }) => sum + weight, 0) + within.length / 1000;
    if (best === undefined || worth > best.worth) best = { hit, worth };
  }
  return best?.hit;
}

/** Hits from one of them on that end within 300 characters. Those behind are not looked at: a chunk may have thousands. */
function hitsWithin(hits: readonly Hit[], first: number): Hit[] {
  const start = hits[first]?.from ?? 0;
  const within: Hit[] = [];
  for (let index = first; index < hits.length; index += 1) {
    const hit = hits[index];
    if (hit === undefined || hit.from - start > LONGEST) break;
    if (hit.to - start <= LONGEST) within.push(hit);
  }
  return within;
}

const lastWithin = (hits: readonly Hit[], first: Hit | undefined): Hit | undefined =>
  first === undefined ? undefined : hits.findLast(({ from, to }) => from >= first.from && to - first.from <= LONGEST);

/** The given place with as much around it as fits, half of it before. */
function stretch(text: string, first: number, last: number): { from: number; to: number } {
  const room = Math.max(0, LONGEST - (last - first));
  let from = Math.max(0, first - Math.floor(room / 2));
  let to = Math.min(text.length, from + LONGEST);
  from = Math.max(0, Math.min(from, to - LONGEST));
  if (from > 0) {
    const blank = text.slice(from - 1, first).search(/\s/u);
    from = blank < 0 ? first : from + blank;
  }
  if (to < text.length) {
    const blank = text.slice(Math.max(last, from + 1), to + 1).search(/\s\S*$/u);
    if (blank >= 0) to = Math.max(last, from + 1) + blank;
  }
  const shown = text.slice(from, to);
  const lead = shown.length - shown.trimStart().length;
  return { from: from + lead, to: Math.max(from + lead, to - (shown.length - shown.trimEnd().length)) };
}
