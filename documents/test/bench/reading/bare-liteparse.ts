/** Reads a PDF with liteparse alone, with the options of the jailed program; prints pages, words and milliseconds. */
import { LiteParse } from '@llamaindex/liteparse';

const [file = ''] = process.argv.slice(2);
const reader = new LiteParse({
  ocrEnabled: false,
  quiet: true,
  continueOnPageError: true,
  maxPages: 20_000,
  outputFormat: 'text',
  imageMode: 'off',
  emitWordBoxes: true,
  extractVectorGraphics: true,
  extractFormFields: true,
  extractImages: true,
});
const started = performance.now();
let [pages, words] = [0, 0];
for await (const { result } of reader.parseBatches(file, { batchSize: 50 })) {
  pages += result.pages.length;
  for (const page of result.pages) for (const item of page.textItems) words += item.words?.length ?? 0;
}
process.stdout.write(JSON.stringify({ pages, words, milliseconds: performance.now() - started }));
