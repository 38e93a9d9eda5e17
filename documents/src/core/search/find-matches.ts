import { byRank, limitHits, type RankKey } from '../../domain/search/limit-hits.js';
import { planQuery, type KnownTerm, type QueryPlan } from '../../domain/search/query-plan.js';
import { readQuery } from '../../domain/search/query-terms.js';
import type { RecordTransaction } from '../record/record.js';
import { knowTerms } from './know-terms.js';
import { matchChunks, type Match, type SearchFilters } from './match-chunks.js';

/** How a query is asked of a project: what its words are there, and what each is worth. */
export interface PlannedSearch {
  plan: QueryPlan;
  terms: KnownTerm[];
}

/** Reads a query by what the lexicon of the project knows. */
export async function planSearch(tx: RecordTransaction, projectId: string, query: string): Promise<PlannedSearch> {
  const read = readQuery(query);
  const { terms, chunks } = await knowTerms(tx, projectId, read.terms);
  return { plan: planQuery(read, terms, chunks), terms };
}

/** A match that has not all that was asked stands below one of the same worth that has. */
const PARTIAL = 0.9;

/**
 * Some hits of a plan, best first: of what has all that was asked, then of what has the most telling part of it.
 *
 * @param after the last hit of the page before
 */
export async function findMatches(
  tx: RecordTransaction,
  projectId: string,
  plan: QueryPlan,
  filters: SearchFilters,
  count: number,
  after: RankKey | null = null,
): Promise<Match[]> {
  if (plan.strict === null) return [];
  const strict = await matchChunks(tx, projectId, plan.strict, plan, filters);
  const ranked = plan.ranked === null ? [] : await matchChunks(tx, projectId, plan.ranked, plan, filters);
  const whole = new Set(strict.map(keyOf));
  const partial = ranked.filter((match) => !whole.has(keyOf(match)));
  const hits = [
    ...strict.map((match) => ({ ...match, rank: share(match.rank, plan.best) })),
    ...partial.map((match) => ({ ...match, rank: share(match.rank * PARTIAL, plan.best) })),
  ];
  return limitHits(hits, filters.documentIds !== undefined)
    .filter((match) => after === null || byRank(match, after) > 0)
    .slice(0, count);
}

/** As a share that survives being written down, so that a cursor names the same place. */
const share = (rank: number, best: number): number =>
  Math.round(Math.min(1, rank / Math.max(best, Number.EPSILON)) * 1e6) / 1e6;

const keyOf = ({ version_id: version, chunk_number: chunk }: Match): string => `${version} ${chunk}`;
