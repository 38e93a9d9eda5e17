import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atLeast, atMost, type RowFindings } from '../../../../test/bench/row.js';
import { BATCH, median, rateOf } from './jailed-reading.js';
import { joinPdfs } from './joined-file.js';
import { readAsWorker, readBare } from './readers.js';

const PAGES = 1000;
const ROUNDS = 3;

/**
 * A file of a thousand pages through the jail in batches, as the worker reads it, one at a time; and through liteparse alone in one process, in
 * turns. Memory is that of the process that asks, which has the heap of a worker, and of all that it starts, in a round of its own.
 *
 * @throws Error without a folder of PDFs
 */
export async function measureReading(folder: string | undefined): Promise<RowFindings> {
  if (folder === undefined) throw new Error('reading needs the folder of the PDFs that are read');
  const work = mkdtempSync(join(tmpdir(), 'docsvc-bench-'));
  try {
    const { file, pages } = joinPdfs(folder, PAGES, join(work, 'joined.pdf'));
    const [own, bare]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(rateOf(await readBare(file)));
      own.push(rateOf((await readAsWorker(file, pages, false)).read));
    }
    const { read, mib } = await readAsWorker(file, pages, true);
    const [rate, bareRateOf] = [median(own), median(bare)];
    return {
      values: { pages_per_second: rate, of_bare: rate / bareRateOf, memory: mib, pages, words: read.words },
      unit: { pages_per_second: 'pages/s', of_bare: 'share', memory: 'MiB', pages: 'pages', words: 'words' },
      baseline: { liteparse_pages_per_second: bareRateOf },
      targets: [
        atLeast('words and lines', rate, 80, 'pages/s'),
        atLeast('of liteparse alone', rate / bareRateOf, 0.7, 'share'),
        atMost('worker and jail together', mib, 400, 'MiB'),
      ],
      notes: [`batches of ${BATCH} pages, one after the other, with tables; medians of ${ROUNDS} rounds`],
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
