import type { Box, Page, WordSource } from '../../domain/page-model.js';
import { boxesOf } from '../../domain/search/highlight.js';
import type { BlobStore } from '../../platform/blobs/blob-store.js';
import { readBoundedDetails, type PageDetails } from '../pages/page-details.js';
import type { FoundPassage } from './search-project.js';

/** Where on its page a passage stands. */
export interface PassagePlace {
  page: Pick<Page, 'width' | 'height' | 'unit' | 'rotation'>;
  /** One for each line of what was found; none where the page has no words with places. */
  boxes: Box[];
  /** Place of the excerpt in the page's text. */
  charRange: { from: number; to: number };
  /** How what was found resembles what was asked. */
  match: 'exact' | 'fuzzy';
  source: WordSource;
}

/** Of what is kept of one page, unpacked. A larger page is cited by its number and the place in its text alone. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

type PlacedPage = Pick<PageDetails, 'words' | 'lines'>;

/**
 * Finds the boxes of passages in what the parser kept of their pages. Without a hit, those of the whole excerpt. Pages are read once each and one
 * after the other, so that never more than one is in memory.
 *
 * @returns places in the order of the passages
 */
export async function citePassages(
  store: Pick<BlobStore, 'readRange'>,
  passages: readonly FoundPassage[],
): Promise<PassagePlace[]> {
  const places = new Map<FoundPassage, PassagePlace>();
  for (const [key, ofPage] of Map.groupBy(passages, ({ chunk }) => chunk.words_key)) {
    const page = key === null ? null : await readBoundedDetails(store, key, MAX_PAGE_BYTES);
    for (const passage of ofPage) places.set(passage, placeOf(passage, page ?? { words: [], lines: [] }));
  }
  return passages.flatMap((passage) => places.get(passage) ?? []);
}

function placeOf({ chunk, excerpt }: FoundPassage, details: PlacedPage): PassagePlace {
  const { width, height, unit, rotation } = chunk;
  const stretchOf = ({ from, to }: { from: number; to: number }): { from: number; to: number } => ({
    from: chunk.chars_from + from,
    to: chunk.chars_from + to,
  });
  const charRange = stretchOf(excerpt);
  const hits = boxesOf(excerpt.hits.map(stretchOf), details.words, details.lines);
  const first = details.words.find((word) => word.from < charRange.to && word.to > charRange.from);
  return {
    page: { width, height, unit, rotation },
    boxes: hits.length > 0 ? hits : boxesOf([charRange], details.words, details.lines),
    charRange,
    match: excerpt.hits.some(({ term }) => term.isRepaired) ? 'fuzzy' : 'exact',
    source: first?.source ?? (chunk.source === 'mixed' ? 'text_layer' : chunk.source),
  };
}
