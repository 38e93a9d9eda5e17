import { quoteLexeme } from './chunk-vector.js';
import type { QueryTerm, ReadQuery } from './query-terms.js';

/** A term with all that it is found by, as the project knows it. */
export interface KnownTerm {
  term: QueryTerm;
  /** Stems, the word itself, and known words that resemble it when it is unknown. */
  lexemes: string[];
  /** Chunks that have it. */
  chunks: number;
  /** How near the words that stand in its place are, 0…1; 1 for a word that is known. */
  likeness: number;
  parts: KnownTerm[];
}

/** What the database is asked: queries in its own notation. */
export interface QueryPlan {
  /** All terms at once; null when there is none that is known. */
  strict: string | null;
  /** Enough of the terms; null when there is nothing beyond the strict query. */
  ranked: string | null;
  /** What makes a match better, each with its weight. */
  terms: { query: string; weight: number }[];
  /** Sum of the weights that a perfect match reaches. */
  best: number;
}

/** Chunks that a ranked query may match by expectation, so that ranking stays within its time. */
export const CANDIDATES = 1500;
const SOFT = 0.15;
const PART = 0.2;
const NEIGHBOURS = 0.7;

export function planQuery(query: ReadQuery, known: readonly KnownTerm[], chunks: number): QueryPlan {
  const found = known.filter((term) => term.chunks > 0 || term.parts.some((part) => part.chunks > 0));
  const required = found.filter(({ term }) => !term.isSoft);
  const asked = required.length > 0 ? required : found;
  const phrases = query.phrases.map((words) => words.map(quoteLexeme).join(' <-> '));
  const strict = all([...asked.map(anyOf), ...phrases]);
  const ranked = asked.length > 1 ? candidatesOf(asked, chunks) : null;
  const weighted = found.flatMap((term) => weigh(term, chunks));
  const terms = [...weighted, ...neighboursOf(asked, chunks)];
  return {
    strict,
    ranked: ranked === null ? null : all([ranked, ...phrases]),
    terms,
    best: terms.reduce((sum, { weight }) => sum + weight, 0),
  };
}

/** How much a term tells by how rare it is. */
export function rarity(chunks: number, all: number): number {
  return Math.log(1 + (Math.max(all, chunks) - chunks + 0.5) / (chunks + 0.5));
}

const all = (queries: readonly string[]): string | null =>
  queries.length === 0 ? null : queries.map((query) => `(${query})`).join(' & ');

const alternatives = (lexemes: readonly string[]): string => lexemes.map(quoteLexeme).join(' | ');

/** The term itself or, of a date, its parts together. */
function anyOf({ lexemes, parts, chunks }: KnownTerm): string {
  const known = parts.filter((part) => part.chunks > 0);
  const together = known.map((part) => `(${alternatives(part.lexemes)})`).join(' & ');
  if (chunks === 0) return together;
  return known.length === 0 ? alternatives(lexemes) : `${alternatives(lexemes)} | (${together})`;
}

function weigh(
  { term, lexemes, chunks, likeness, parts }: KnownTerm,
  all: number,
): { query: string; weight: number }[] {
  const whole =
    chunks === 0
      ? []
      : [{ query: alternatives(lexemes), weight: rarity(chunks, all) * likeness * (term.isSoft ? SOFT : 1) }];
  const share = chunks === 0 ? 1 : PART;
  return [
    ...whole,
    ...parts
      .filter((part) => part.chunks > 0)
      .map((part) => ({ query: alternatives(part.lexemes), weight: rarity(part.chunks, all) * part.likeness * share })),
  ];
}

/**
 * The rarest terms alone, as many as their chunks stay within bounds, then pairs of the others: what has neither a rare term nor two of
 * the frequent ones would not come near the front.
 */
function candidatesOf(terms: readonly KnownTerm[], all: number): string {
  const byRarity = terms.toSorted((one, other) => chunksOf(one) - chunksOf(other));
  const queries: string[] = [];
  let expected = 0;
  let at = 0;
  for (; at < byRarity.length; at += 1) {
    const term = byRarity[at];
    if (term === undefined || (queries.length > 0 && expected + chunksOf(term) > CANDIDATES)) break;
    expected += chunksOf(term);
    queries.push(anyOf(term));
  }
  const rest = byRarity.slice(at);
  for (const [index, one] of rest.entries()) {
    for (const other of rest.slice(index + 1)) {
      const together = Math.min(chunksOf(one), (TOGETHER * chunksOf(one) * chunksOf(other)) / Math.max(all, 1));
      if (expected + together > CANDIDATES) return queries.map((query) => `(${query})`).join(' | ');
      expected += together;
      queries.push(`(${anyOf(one)}) & (${anyOf(other)})`);
    }
  }
  return queries.map((query) => `(${query})`).join(' | ');
}

/** Words of one query are found together more often than by chance. */
const TOGETHER = 4;

/** Chunks that have a term, or at most those of its rarest part. */
function chunksOf({ chunks, parts }: KnownTerm): number {
  return parts.length === 0 ? chunks : chunks + Math.min(...parts.map((part) => part.chunks));
}

/** Terms that follow each other in the query count more where they do so in the text. */
function neighboursOf(terms: readonly KnownTerm[], all: number): { query: string; weight: number }[] {
  return terms.slice(1).flatMap((term, index) => {
    const before = terms[index];
    if (before === undefined || before.chunks === 0 || term.chunks === 0) return [];
    const gap = term.term.place - before.term.place;
    if (gap > 3) return [];
    const [left, right] = [`(${alternatives(before.lexemes)})`, `(${alternatives(term.lexemes)})`];
    const distances = [...new Set([1, gap])].map((distance) => `(${left} <${distance}> ${right})`);
    const weight =
      NEIGHBOURS * Math.min(rarity(before.chunks, all) * before.likeness, rarity(term.chunks, all) * term.likeness);
    return [{ query: distances.join(' | '), weight }];
  });
}
