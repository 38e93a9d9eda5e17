import type { Box, Page, WordSource } from '../../domain/page-model.js';
import { boxesOf } from '../../domain/search/highlight.js';
import type { BlobStore } from '../../platform/blobs/blob-store.js';
import { readPageDetails } from '../pages/page-details.js';
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

/** Finds the boxes of a passage in what the parser kept of its page. Without a hit, those of the whole excerpt. */
export async function citePassage(store: Pick<BlobStore, 'readRange'>, passage: FoundPassage): Promise<PassagePlace> {
  const { chunk, excerpt } = passage;
  const { width, height, unit, rotation } = chunk;
  const stretchOf = ({ from, to }: { from: number; to: number }): { from: number; to: number } => ({
    from: chunk.chars_from + from,
    to: chunk.chars_from + to,
  });
  const details = chunk.words_key === null ? { words: [], lines: [] } : await readPageDetails(store, chunk.words_key);
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
