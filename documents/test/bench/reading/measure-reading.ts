import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atLeast, atMost, type RowFindings } from '../../../../test/bench/row.js';
import { DocumentReader } from '../../../src/platform/parsing/document-reader.js';
import { testJail } from '../../support/parsing/jail.js';
import { joinPdfs } from './joined-file.js';
import { residentTreeMib } from './resident-tree.js';

const PAGES = 1000;
const BATCH = 50;
const ROUNDS = 3;
const SAMPLE_MS = 100;
const BARE = fileURLToPath(new URL('bare-liteparse.js', import.meta.url));

/**
 * A file of a thousand pages through the jail in batches, as the worker reads it, one at a time; and through liteparse alone in one process, in
 * turns. Memory is that of this process and of all that it starts.
 *
 * @throws Error without a folder of PDFs
 */
export async function measureReading(folder: string | undefined): Promise<RowFindings> {
  if (folder === undefined) throw new Error('reading needs the folder of the PDFs that are read');
  const work = mkdtempSync(join(tmpdir(), 'docsvc-bench-'));
  try {
    const { file, pages } = joinPdfs(folder, PAGES, join(work, 'joined.pdf'));
    const [own, bare]: [number[], number[]] = [[], []];
    let [words, mib] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(bareRate(file));
      const read = await readAll(file, pages);
      own.push(read.rate);
      words = read.words;
      mib = Math.max(mib, read.mib);
    }
    const [rate, bareRateOf] = [median(own), median(bare)];
    return {
      values: { pages_per_second: rate, of_bare: rate / bareRateOf, memory: mib, pages, words },
      unit: { pages_per_second: 'pages/s', of_bare: 'share', memory: 'MiB', pages: 'pages', words: 'words' },
      baseline: { liteparse_pages_per_second: bareRateOf },
      targets: [
        atLeast('words and lines', rate, 80, 'pages/s'),
        atLeast('of liteparse alone', rate / bareRateOf, 0.7, 'share'),
        atMost('worker and jail together', mib, 400, 'MiB'),
      ],
      notes: [
        `batches of ${BATCH} pages, each a program of its own in the jail, with tables; medians of ${ROUNDS} rounds`,
      ],
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function bareRate(file: string): number {
  const { pages, milliseconds } = JSON.parse(execFileSync(process.execPath, [BARE, file], { encoding: 'utf8' })) as {
    pages: number;
    milliseconds: number;
  };
  return (pages * 1000) / milliseconds;
}

async function readAll(file: string, pages: number): Promise<{ rate: number; words: number; mib: number }> {
  const reader = new DocumentReader(testJail());
  let [words, mib] = [0, 0];
  const sampling = setInterval(() => {
    mib = Math.max(mib, residentTreeMib());
  }, SAMPLE_MS);
  const started = performance.now();
  try {
    for (let from = 1; from <= pages; from += BATCH) {
      const { items, failure } = await reader.read(file, 'pdf', { from, to: Math.min(pages, from + BATCH - 1) });
      if (failure !== null) throw new Error(failure.message);
      for (const item of items) words += 'page' in item ? item.page.words.length : 0;
    }
  } finally {
    clearInterval(sampling);
  }
  return { rate: (pages * 1000) / (performance.now() - started), words, mib };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
