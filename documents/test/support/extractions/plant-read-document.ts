import type { PageDetails } from '../../../src/core/pages/page-details.js';
import { writePageDetails } from '../../../src/core/pages/page-details.js';
import type { Box, Line, Word } from '../../../src/domain/page-model.js';
import type { BlobStore } from '../../../src/platform/blobs/blob-store.js';
import { plantDocument, type PlantedDocument, type PlantingGround } from '../search/plant-document.js';

/** A document that was read, with the places of its words. @param pages lines of text, page by page */
export async function plantReadDocument(
  ground: PlantingGround,
  store: Pick<BlobStore, 'put'>,
  name: string,
  pages: readonly (readonly string[])[],
): Promise<PlantedDocument> {
  const planted = await plantDocument(ground, { name, pages: pages.map((lines) => lines.join('\n')) });
  const places = await writePageDetails(store, planted.parseId, 'pages-1', pages.map(detailsOf));
  for (const [at, place] of places.entries()) {
    await ground.owner.query('update pages set words_key = $1 where parse_id = $2 and page_number = $3', [
      place,
      planted.parseId,
      at + 1,
    ]);
  }
  return planted;
}

const LINE_HEIGHT = 0.02;
const CHAR_WIDTH = 0.01;

/** Lines below each other from the left margin on, every character equally wide. */
function detailsOf(texts: readonly string[]): PageDetails {
  const words: Word[] = [];
  const lines: Line[] = [];
  let from = 0;
  for (const [row, text] of texts.entries()) {
    const first = words.length;
    for (const { 0: word, index } of text.matchAll(/\S+/g)) {
      const box: Box = [
        0.1 + index * CHAR_WIDTH,
        0.05 + row * LINE_HEIGHT,
        word.length * CHAR_WIDTH,
        LINE_HEIGHT * 0.8,
      ];
      const place = { from: from + index, to: from + index + word.length };
      words.push({ text: word, box, ...place, source: 'text_layer', confidence: 0.99 });
    }
    const last = words.length - 1;
    const width = text.length * CHAR_WIDTH;
    if (last >= first) lines.push({ first, last, box: [0.1, 0.05 + row * LINE_HEIGHT, width, LINE_HEIGHT * 0.8] });
    from += text.length + 1;
  }
  return { words, lines, rules: [], fields: [], images: [], tables: [] };
}
