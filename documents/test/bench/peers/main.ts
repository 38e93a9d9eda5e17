import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { measureRow, printReport } from '../../../../test/bench/measure-row.js';
import type { RowFindings } from '../../../../test/bench/row.js';
import { measureSearch } from '../search/measure-search.js';
import { compareRecognition } from './compare-recognition.js';
import { compareText } from './compare-text.js';
import { compareUploads } from './compare-uploads.js';
import { TEXT_READERS } from './text-readers.js';

const ROW_MS = 900_000;

const { values: sizes, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pages: { type: 'string', default: '200' },
    pictures: { type: 'string', default: '20' },
    chunks: { type: 'string', default: '5000' },
    mib: { type: 'string', default: '1024' },
  },
});
const [folder, ...named] = positionals;
const rows: { [name: string]: (documents: string) => Promise<RowFindings> } = {
  ...Object.fromEntries(
    Object.keys(TEXT_READERS).map((reader) => [
      `text-against-${reader}`,
      (documents: string) => compareText(reader, documents, Number(sizes.pages)),
    ]),
  ),
  'recognition-against-tesseract': (documents) => compareRecognition(documents, Number(sizes.pictures)),
  'search-against-postgres-and-minisearch': (documents) => measureSearch(documents, Number(sizes.chunks)),
  'uploads-against-tus': () => compareUploads(Number(sizes.mib)),
};
const wrong = named.filter((name) => !Object.hasOwn(rows, name));
if (folder === undefined || wrong.length > 0 || Object.values(sizes).some((size) => !(Number(size) > 0))) {
  process.stderr.write(
    `bench: name the folder of the documents, then rows, or none for all (${Object.keys(rows).join(', ')}); ` +
      `sizes are --pages, --pictures, --chunks and --mib, each above 0\n`,
  );
  process.exit(2);
}
const machine = { cpus: cpus().length, memory_gib: Math.round(totalmem() / 2 ** 30), load: loadavg()[0] };
const results = [];
for (const [name, measure] of Object.entries(rows))
  if (named.length === 0 || named.includes(name)) results.push(await measureRow(name, ROW_MS, () => measure(folder)));
const met = results.every((result) => result.met);
await printReport({ benchmark: 'docsvc-peers', date: new Date().toISOString(), machine, rows: results, met });
process.exit(0);
