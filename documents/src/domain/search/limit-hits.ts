/** What is known of a hit when it is decided whether it is shown. */
export interface RankedHit {
  document_id: string;
  version_id: string;
  chunk_number: number;
  page_number: number;
  /** 0…1 */
  rank: number;
}

const PER_PAGE = 3;
const PER_DOCUMENT = 5;
/** A second hit of a page says less than the first one of another. */
const REPEATED = 0.75;

/**
 * Of hits in their order, those that are shown: at most three of a page and, unless the search is narrowed to documents, five of a
 * document. A further hit of a page steps back behind others of nearly its rank.
 */
export function limitHits<H extends RankedHit>(hits: readonly H[], isNarrowed: boolean): H[] {
  const ofPage = new Map<string, number>();
  const ordered = hits
    .toSorted(byRank)
    .map((hit) => {
      const page = `${hit.version_id} ${hit.page_number}`;
      const before = ofPage.get(page) ?? 0;
      ofPage.set(page, before + 1);
      return { hit: { ...hit, rank: hit.rank * REPEATED ** before }, before };
    })
    .filter(({ before }) => before < PER_PAGE)
    .map(({ hit }) => hit)
    .sort(byRank);
  if (isNarrowed) return ordered;
  const ofDocument = new Map<string, number>();
  return ordered.filter(({ document_id: id }) => {
    const count = (ofDocument.get(id) ?? 0) + 1;
    ofDocument.set(id, count);
    return count <= PER_DOCUMENT;
  });
}

/** What the order of results goes by. */
export type RankKey = Pick<RankedHit, 'rank' | 'document_id' | 'version_id' | 'chunk_number'>;

/** The order of results; the same for every query of the same rows. */
export function byRank(one: RankKey, other: RankKey): number {
  return (
    other.rank - one.rank ||
    compare(one.document_id, other.document_id) ||
    compare(one.version_id, other.version_id) ||
    one.chunk_number - other.chunk_number
  );
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
