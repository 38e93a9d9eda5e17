import type { Page, Word } from '../../domain/page-model.js';

/** A word as programs print it: the names of its members would be half of the answer. What is not known is null. */
type PackedWord = readonly [
  text: string,
  x: number,
  y: number,
  width: number,
  height: number,
  from: number,
  to: number,
  source: Word['source'],
  confidence: number,
  fontSize: number | null,
  bold: boolean | null,
  cell: string | null,
];

/** A page as programs print it. */
export type PackedPage = Omit<Page, 'words'> & { words: PackedWord[] };

/** Members of a word that is a list. */
export const WORD_MEMBERS = 12;

export function packPage(page: Page): PackedPage {
  return { ...page, words: page.words.map(packWord) };
}

function packWord({ text, box, from, to, source, confidence, fontSize, bold, cell }: Word): PackedWord {
  const [x, y, width, height] = box;
  return [text, x, y, width, height, from, to, source, confidence, fontSize ?? null, bold ?? null, cell ?? null];
}
