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

export type TieredMatch = Match & { tier: number };

/** Reads a query by what the lexicon of the project knows. */
export async function planSearch(tx: RecordTransaction, projectId: string, query: string): Promise<PlannedSearch> {
  const read = readQuery(query);
  const { terms, chunks } = await knowTerms(tx, projectId, read.terms);
  return { plan: planQuery(read, terms, chunks), terms };
}

/**
 * Some hits of a plan, best first. Those of the strict tier come first; the ranked one is asked when that does not have enough of them.
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
): Promise<TieredMatch[]> {
  if (plan.strict === null) return [];
  const isNarrowed = filters.documentIds !== undefined;
  const matchesOf = async (query: string, tier: number): Promise<TieredMatch[]> => {
    const matches = await matchChunks(tx, projectId, query, plan, filters);
    return matches.map((match) => ({ ...match, tier, rank: share(match.rank, plan.best) }));
  };
  const next = (matches: readonly TieredMatch[]): TieredMatch[] =>
    limitHits(matches, isNarrowed)
      .filter((match) => after === null || byRank(match, after) > 0)
      .slice(0, count);
  const strict = await matchesOf(plan.strict, 0);
  const first = next(strict);
  if (first.length >= count || plan.ranked === null) return first;
  const known = new Set(strict.map(keyOf));
  const ranked = await matchesOf(plan.ranked, 1);
  return next([...strict, ...ranked.filter((match) => !known.has(keyOf(match)))]);
}

/** As a share that survives being written down, so that a cursor names the same place. */
const share = (rank: number, best: number): number =>
  Math.round(Math.min(1, rank / Math.max(best, Number.EPSILON)) * 1e6) / 1e6;

const keyOf = ({ version_id: version, chunk_number: chunk }: Match): string => `${version} ${chunk}`;
