import { limitHits } from '../../domain/search/limit-hits.js';
import { planQuery, type QueryPlan } from '../../domain/search/query-plan.js';
import { readQuery } from '../../domain/search/query-terms.js';
import type { RecordTransaction } from '../record/record.js';
import { knowTerms } from './know-terms.js';
import { matchChunks, type Match, type SearchFilters } from './match-chunks.js';

/** Decides how a query is asked of a project: what its words are there, and what each is worth. */
export async function planSearch(tx: RecordTransaction, projectId: string, query: string): Promise<QueryPlan> {
  const read = readQuery(query);
  const { terms, chunks } = await knowTerms(tx, projectId, read.terms);
  return planQuery(read, terms, chunks);
}

/**
 * The hits of a plan, best first, with ranks from 0 to 1. The strict tier comes first; the ranked one is asked when that has fewer hits
 * than are wanted.
 */
export async function findMatches(
  tx: RecordTransaction,
  projectId: string,
  plan: QueryPlan,
  filters: SearchFilters,
  wanted: number,
): Promise<Match[]> {
  if (plan.strict === null) return [];
  const isNarrowed = filters.documentIds !== undefined;
  const scored = (matches: readonly Match[]): Match[] =>
    matches.map((match) => ({ ...match, rank: Math.min(1, match.rank / Math.max(plan.best, Number.EPSILON)) }));
  const strict = scored(await matchChunks(tx, projectId, plan.strict, plan, filters));
  const first = limitHits(strict, isNarrowed);
  if (first.length >= wanted || plan.ranked === null) return first;
  const ranked = scored(await matchChunks(tx, projectId, plan.ranked, plan, filters));
  const known = new Set(strict.map(keyOf));
  return limitHits([...strict, ...ranked.filter((match) => !known.has(keyOf(match)))], isNarrowed);
}

const keyOf = ({ version_id: version, chunk_number: chunk }: Match): string => `${version} ${chunk}`;
