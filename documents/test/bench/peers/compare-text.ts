import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atLeast, type RowFindings } from '../../../../test/bench/row.js';
import { median, rateOf, readJailed } from '../reading/jailed-reading.js';
import { joinPdfs } from '../reading/joined-file.js';
import { TEXT_READERS } from './text-readers.js';

const ROUNDS = 3;
/** A reader that takes longer is read with once. */
const LONG_MS = 30_000;
/** Readers cut words differently, at hyphens and within ligatures, so that counts are close and not equal. */
const WORDS_SHARE = 0.95;

/**
 * The same joined file through our jail and through another reader, in turns.
 *
 * @throws Error when the peer cannot be installed or cannot read the file
 */
export async function compareText(reader: string, folder: string, pageCount: number): Promise<RowFindings> {
  const peer = TEXT_READERS[reader];
  if (peer === undefined) throw new Error(`${reader} is not a reader that is compared with`);
  const theirReader = await peer.ready();
  const work = mkdtempSync(join(tmpdir(), 'docsvc-bench-'));
  try {
    const { file, pages } = joinPdfs(folder, pageCount, join(work, 'joined.pdf'));
    const [own, theirs]: [number[], number[]] = [[], []];
    let [words, theirWords] = [0, 0];
    for (let round = 0, longest = 0; round < ROUNDS && longest < LONG_MS; round += 1) {
      const their = await theirReader.read(file);
      if (their.pages !== pages) throw new Error(`${theirReader.name} read ${their.pages} of ${pages} pages`);
      const our = await readJailed(file, pages);
      theirs.push(rateOf(their));
      own.push(rateOf(our));
      [words, theirWords] = [our.words, their.words];
      longest = their.milliseconds;
    }
    const [rate, theirRate] = [median(own), median(theirs)];
    return {
      values: { pages_per_second: rate, times: rate / theirRate, words, words_share: words / theirWords, pages },
      unit: { pages_per_second: 'pages/s', times: '×', words: 'words', words_share: 'of theirs', pages: 'pages' },
      baseline: { pages_per_second: theirRate, words: theirWords },
      targets: [
        atLeast('pages a second beside theirs', rate / theirRate, peer.times, '×'),
        atLeast('words beside theirs', words / theirWords, WORDS_SHARE, 'of theirs'),
      ],
      notes: [
        `${theirReader.name}: ${peer.note}`,
        `medians of ${own.length} rounds; ours with boxes, lines, fields and tables, each batch a program of its own in the jail`,
      ],
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
