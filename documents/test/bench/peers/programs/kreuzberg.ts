/** Reads a PDF page by page through Kreuzberg, with its recognition off; prints pages, words and milliseconds. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Kreuzberg {
  extractFile(file: string, type: string, config: object): Promise<{ pages: { content: string }[] }>;
}

const [folder = '', file = ''] = process.argv.slice(2);
process.once('uncaughtException', (error) => {
  process.stderr.write(`${(whyNotLoaded(error) ?? error).message}\n`);
  process.exit(1);
});
const kreuzberg = createRequire(join(folder, 'package.json'))('@kreuzberg/node') as Kreuzberg;
const config = { useCache: false, disableOcr: true, pages: { extractPages: true } };
const started = performance.now();
const { pages } = await kreuzberg.extractFile(file, 'application/pdf', config);
const milliseconds = performance.now() - started;
const words = pages.flatMap(({ content }) => content.split(/\s+/u)).filter((word) => word !== '').length;
process.stdout.write(JSON.stringify({ pages: pages.length, words, milliseconds }));

/** Its own error advises to install it again, and hides what the system said among its causes. */
function whyNotLoaded(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && error.code === 'ERR_DLOPEN_FAILED' ? error : whyNotLoaded(error.cause);
}
