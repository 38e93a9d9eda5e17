import { spawn } from 'node:child_process';
import type { GreyPicture } from '../../../../domain/layout/deskew.js';
import type { Box } from '../../../../domain/page-model.js';
import { refusal } from '../serve.js';

/** One thread: several of them fight over the same cores. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', OMP_THREAD_LIMIT: '1', LC_ALL: 'C.UTF-8' };
/** What Tesseract itself says is rather not there. */
const LEAST_CONFIDENCE = 0.2;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What Tesseract takes the text for: one block, or a column of lines of different sizes. */
export type Layout = 'block' | 'columns';

const LAYOUTS: Readonly<Record<Layout, string>> = { block: '6', columns: '4' };

export interface RecognizedWord {
  text: string;
  box: Box;
  confidence: number;
  /** Words with the same number stand on one line. */
  line: string;
}

/** Words of a picture that stands upright, in pixels. */
export async function recognizeWords(
  picture: GreyPicture,
  languages: readonly string[],
  { dpi, layout }: { dpi: number; layout: Layout },
): Promise<RecognizedWord[]> {
  const how = ['--psm', LAYOUTS[layout], '--dpi', String(Math.round(dpi))];
  const args = ['stdin', 'stdout', '-l', languages.join('+'), ...how, 'tsv'];
  const { stdout } = await runTesseract(args, picture);
  return stdout.split('\n').flatMap(wordOfRow);
}

/** Level, page, block, paragraph, line, word, left, top, width, height, confidence, text. */
function wordOfRow(row: string): RecognizedWord[] {
  const [level, , block, paragraph, line, , left, top, width, height, confidence, text] = row.split('\t');
  const clean = (text ?? '').replace(/[\s\p{Cc}]+/gu, '').normalize('NFC');
  const sure = Number(confidence) / 100;
  if (level !== '5' || clean === '' || !(sure >= LEAST_CONFIDENCE)) return [];
  const box = [Number(left), Number(top), Number(width), Number(height)] as const;
  return [{ text: clean, box, confidence: Math.round(sure * 1e4) / 1e4, line: [block, paragraph, line].join(' ') }];
}

/** By how many quarters clockwise a picture must be turned to stand upright; 0 where there is too little text to tell. */
export async function quartersToUpright(picture: GreyPicture, dpi: number): Promise<0 | 1 | 2 | 3> {
  const { stdout } = await runTesseract(['stdin', 'stdout', '--psm', '0', '--dpi', String(Math.round(dpi))], picture);
  const degrees = Number(/^Rotate: (\d+)$/m.exec(stdout)?.[1] ?? 0);
  const sure = Number(/^Orientation confidence: ([\d.]+)$/m.exec(stdout)?.[1] ?? 0);
  return sure < 1 ? 0 : ((degrees / 90) as 0 | 1 | 2 | 3);
}

/** Refuses languages of which Tesseract has no model here. */
export async function requireLanguages(languages: readonly string[]): Promise<void> {
  const { stdout, stderr } = await runTesseract(['--list-langs'], null);
  const installed = new Set(
    `${stdout}\n${stderr}`
      .split('\n')
      .slice(1)
      .map((line) => line.trim()),
  );
  const missing = languages.filter((language) => !/^[a-zA-Z_/]+$/.test(language) || !installed.has(language));
  if (languages.length === 0 || missing.length > 0) {
    const known = [...installed]
      .filter((language) => language !== '' && language !== 'osd')
      .sort()
      .join(', ');
    throw refusal(
      'unsupported',
      `Tesseract has no model for ${missing.join(', ') || 'no language'}; installed here: ${known}`,
    );
  }
}

/** Tesseract fails on pictures in which it finds nothing at all; what it then printed is what there is. */
function runTesseract(
  args: readonly string[],
  picture: GreyPicture | null,
): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('tesseract', args, { env: ENVIRONMENT, stdio: ['pipe', 'pipe', 'pipe'] });
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        if (printed[name].length < MAX_OUTPUT_BYTES) printed[name] += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (signal === null && code !== 126 && code !== 127) resolve(printed);
      else reject(new Error(`tesseract ended by ${signal ?? `code ${String(code)}`}: ${printed.stderr.slice(-500)}`));
    });
    // It may end before it has read the picture.
    child.stdin.on('error', () => child.stdin.destroy());
    if (picture !== null) {
      child.stdin.write(`P5\n${String(picture.width)} ${String(picture.height)}\n255\n`);
      child.stdin.write(picture.pixels);
    }
    child.stdin.end();
  });
}
