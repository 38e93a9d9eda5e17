import type { QueryPlan } from '../../domain/search/query-plan.js';
import type { RecordTransaction } from '../record/record.js';

/** What a search is narrowed to. */
export interface SearchFilters {
  documentIds?: readonly string[];
  /** Documents with at least one of them. */
  labels?: readonly string[];
  kinds?: readonly string[];
  pages?: readonly number[];
  updatedAfter?: Date;
  /** `latest` unless said otherwise: of each document the newest version that was read. */
  versions?: 'latest' | 'all';
}

/** A chunk that matches. */
export interface Match {
  document_id: string;
  document_name: string;
  version_id: string;
  version: number;
  parse_id: string;
  chunk_number: number;
  page_number: number;
  /** Sum of the weights of what it has. */
  rank: number;
}

/** Matches of one tier that are ranked; by far more than anybody turns pages to. */
const RANKED = 2500;
/** Matches of one tier that are kept. */
const KEPT = 400;

/** One tier of a search: the best matches of a query, in a stable order. */
export function matchChunks(
  tx: RecordTransaction,
  projectId: string,
  query: string,
  { terms }: QueryPlan,
  filters: SearchFilters,
): Promise<Match[]> {
  return tx.query<Match>(
    'select * from docsvc_match_chunks($1, $2::tsquery, $3::tsquery[], $4, $5, $6, $7, $8, $9, $10, $11, $12)',
    [
      projectId,
      query,
      terms.map((term) => term.query),
      terms.map(({ weight }) => weight),
      RANKED,
      KEPT,
      filters.versions === 'all',
      filters.documentIds ?? null,
      filters.labels ?? null,
      filters.kinds ?? null,
      filters.pages ?? null,
      filters.updatedAfter ?? null,
    ],
  );
}
