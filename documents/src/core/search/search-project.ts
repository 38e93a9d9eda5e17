import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { cutExcerpt, soughtTerms, type Excerpt, type SoughtTerm } from '../../domain/search/excerpt.js';
import type { RankKey } from '../../domain/search/limit-hits.js';
import type { QueryPlan } from '../../domain/search/query-plan.js';
import type { RecordTransaction } from '../record/record.js';
import { findMatches, planSearch } from './find-matches.js';
import type { Match, SearchFilters } from './match-chunks.js';
import { readChunks, type ShownChunk } from './read-chunks.js';

/** A result of a search: where something is said, and the words. */
export interface FoundPassage {
  match: Match;
  chunk: ShownChunk;
  excerpt: Excerpt;
  /** 0…1, falling along the results. */
  score: number;
}

export interface SearchAnswer {
  passages: FoundPassage[];
  /** Where the next page goes on; null at the end. */
  next: string | null;
}

/** What the next page of a search needs: the weights of this one, so that documents which are added between do not shift it. */
interface Position {
  plan: QueryPlan;
  sought: { lexemes: string[]; stems: readonly string[]; weight: number; isRepaired: boolean }[];
  after: RankKey;
}

/** Finds passages in a project. @param position `next` of the page before */
export async function searchProject(
  tx: RecordTransaction,
  projectId: string,
  query: string,
  filters: SearchFilters,
  limit: number,
  position: string | null,
): Promise<SearchAnswer> {
  const { plan, sought, after } = position === null ? await begin(tx, projectId, query) : unpack(position);
  const matches = await findMatches(tx, projectId, plan, filters, limit + 1, after);
  const shown = matches.slice(0, limit);
  const chunks = await readChunks(tx, shown);
  const byKey = new Map(chunks.map((chunk) => [`${chunk.parse_id} ${chunk.chunk_number}`, chunk]));
  const passages = shown.flatMap((match) => {
    const chunk = byKey.get(`${match.parse_id} ${match.chunk_number}`);
    return chunk === undefined
      ? []
      : [{ match, chunk, excerpt: cutExcerpt(chunk.body, sought), score: Math.round(match.rank * 10_000) / 10_000 }];
  });
  const last = shown.at(-1);
  return { passages, next: last === undefined || matches.length <= limit ? null : pack(plan, sought, last) };
}

async function begin(
  tx: RecordTransaction,
  projectId: string,
  query: string,
): Promise<{ plan: QueryPlan; sought: SoughtTerm[]; after: null }> {
  const { plan, terms } = await planSearch(tx, projectId, query);
  return { plan, sought: soughtTerms(terms), after: null };
}

function pack(plan: QueryPlan, sought: readonly SoughtTerm[], last: Match): string {
  const { rank, document_id, version_id, chunk_number } = last;
  const position: Position = {
    plan,
    sought: sought.map((term) => ({ ...term, lexemes: [...term.lexemes] })),
    after: { rank, document_id, version_id, chunk_number },
  };
  return deflateRawSync(JSON.stringify(position)).toString('base64');
}

function unpack(packed: string): { plan: QueryPlan; sought: SoughtTerm[]; after: RankKey } {
  const position = JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString()) as Position;
  return { ...position, sought: position.sought.map((term) => ({ ...term, lexemes: new Set(term.lexemes) })) };
}
