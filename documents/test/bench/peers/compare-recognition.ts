import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atLeast, type RowFindings } from '../../../../test/bench/row.js';
import { DocumentReader } from '../../../src/platform/parsing/document-reader.js';
import { testJail } from '../../support/parsing/jail.js';

const PICTURE = /\.jpe?g$/iu;
const MAX_OUTPUT_BYTES = 64 * 1024 ** 2;
const run = promisify(execFile);

/** What recognizing some pictures came to. */
interface Recognized {
  milliseconds: number;
  words: number;
  /** Words of the gold that are among those that were found. */
  right: number;
}

/**
 * The same pictures through our recognition, in the jail, and through Tesseract as it is, in turns. Where the lines of a picture are
 * published beside it (`NAME.boxes.csv`), the share of their words that was found counts.
 *
 * @throws Error for a folder without a picture
 */
export async function compareRecognition(folder: string, count: number): Promise<RowFindings> {
  const pictures = picturesOf(folder, count);
  const reader = new DocumentReader(testJail());
  const [own, bare]: [Recognized, Recognized] = [nothing(), nothing()];
  let gold = 0;
  for (const picture of pictures) {
    const expected = goldOf(picture);
    gold += expected.length;
    await add(bare, expected, () => recognizeBare(picture));
    await add(own, expected, () => recognizeJailed(reader, picture));
  }
  const rateOf = ({ milliseconds }: Recognized): number => (pictures.length * 1000) / milliseconds;
  const shareOf = ({ words, right }: Recognized): number => (gold === 0 ? words : right / gold);
  const found = gold === 0 ? 'words' : 'gold_share';
  const unit = gold === 0 ? 'words' : 'of 1';
  return {
    values: { pictures_per_second: rateOf(own), [found]: shareOf(own), times: rateOf(own) / rateOf(bare) },
    unit: { pictures_per_second: 'pictures/s', [found]: unit, times: '×' },
    baseline: { pictures_per_second: rateOf(bare), [found]: shareOf(bare) },
    targets: [
      atLeast('pictures a second beside theirs', rateOf(own) / rateOf(bare), 0.5, '×'),
      atLeast(
        gold === 0 ? 'words that are found' : 'words of the gold that are found',
        shareOf(own),
        shareOf(bare),
        unit,
      ),
    ],
    notes: [
      `${await tesseractVersion()} with one thread and its own settings; ours is the same one behind the jail, straightened and turned upright`,
      `${pictures.length} pictures, ${gold} words of gold; letters and digits alone are compared, without case`,
    ],
  };
}

const nothing = (): Recognized => ({ milliseconds: 0, words: 0, right: 0 });

function picturesOf(folder: string, count: number): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => PICTURE.test(name));
  if (names.length === 0) throw new Error(`${folder} has no picture (*.jpg)`);
  return names
    .sort()
    .slice(0, count)
    .map((name) => join(folder, name));
}

/** Each line of the file is a line of the picture: eight figures of its corners, then its text. */
function goldOf(picture: string): string[] {
  const file = picture.replace(PICTURE, '.boxes.csv');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split(/\r?\n/u);
  return foldWords(lines.map((line) => line.split(',').slice(8).join(',')).join(' '));
}

const foldWords = (text: string): string[] =>
  text
    .normalize('NFC')
    .toLowerCase()
    .split(/\s+/u)
    .map((word) => word.replace(/[^\p{L}\p{N}]/gu, ''))
    .filter((word) => word !== '');

async function add(sum: Recognized, gold: readonly string[], recognize: () => Promise<string>): Promise<void> {
  const started = performance.now();
  const text = await recognize();
  sum.milliseconds += performance.now() - started;
  const words = foldWords(text);
  sum.words += words.length;
  const left = Map.groupBy(words, (word) => word);
  for (const word of gold) if (left.get(word)?.pop() !== undefined) sum.right += 1;
}

async function recognizeJailed(reader: DocumentReader, picture: string): Promise<string> {
  const { items, failure } = await reader.recognize(picture, 'jpeg', { pageNumber: 1, languages: ['eng'] });
  if (failure !== null) throw new Error(`${picture}: ${failure.message}`);
  return items.map(({ page }) => page.text).join('\n');
}

async function recognizeBare(picture: string): Promise<string> {
  const { PATH } = process.env;
  const { stdout } = await run('tesseract', [picture, 'stdout', '-l', 'eng'], {
    env: { PATH, OMP_THREAD_LIMIT: '1', LC_ALL: 'C.UTF-8' },
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return stdout;
}

async function tesseractVersion(): Promise<string> {
  const { stdout, stderr } = await run('tesseract', ['--version']);
  return /^tesseract \S+/m.exec(`${stdout}\n${stderr}`)?.[0] ?? 'tesseract';
}
