/** Reads a PDF page by page through Kreuzberg, with its recognition off; prints pages, words and milliseconds. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Kreuzberg {
  extractFile(file: string, type: string, config: object): Promise<{ pages: { content: string }[] }>;
}

const [folder = '', file = ''] = process.argv.slice(2);
const kreuzberg = createRequire(join(folder, 'package.json'))('@kreuzberg/node') as Kreuzberg;
const config = { useCache: false, disableOcr: true, pages: { extractPages: true } };
const started = performance.now();
const { pages } = await kreuzberg.extractFile(file, 'application/pdf', config);
const milliseconds = performance.now() - started;
const words = pages.flatMap(({ content }) => content.split(/\s+/u)).filter((word) => word !== '').length;
process.stdout.write(JSON.stringify({ pages: pages.length, words, milliseconds }));
