/** Reads the text content of a PDF with its positions through PDF.js; prints pages, words and milliseconds. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface PdfJs {
  getDocument(source: object): { promise: Promise<PdfDocument> };
}

interface PdfDocument {
  numPages: number;
  getPage(number: number): Promise<{
    getTextContent(): Promise<{ items: { str?: string; transform?: number[] }[] }>;
    cleanup(): void;
  }>;
}

const [folder = '', file = ''] = process.argv.slice(2);
const peer = join(folder, 'node_modules', 'pdfjs-dist');
const pdfjs = (await import(pathToFileURL(join(peer, 'legacy/build/pdf.mjs')).href)) as PdfJs;
const started = performance.now();
const document = await pdfjs.getDocument({
  data: new Uint8Array(readFileSync(file)),
  verbosity: 0,
  cMapUrl: join(peer, 'cmaps/'),
  cMapPacked: true,
  standardFontDataUrl: join(peer, 'standard_fonts/'),
}).promise;
let words = 0;
for (let number = 1; number <= document.numPages; number += 1) {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  for (const { str, transform } of items)
    if (transform !== undefined) words += str?.split(/\s+/u).filter((word) => word !== '').length ?? 0;
  page.cleanup();
}
const milliseconds = performance.now() - started;
process.stdout.write(JSON.stringify({ pages: document.numPages, words, milliseconds }));
