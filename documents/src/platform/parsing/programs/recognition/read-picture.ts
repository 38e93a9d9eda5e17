import type { Sharp } from 'sharp';
import type { GreyPicture } from '../../../../domain/layout/deskew.js';
import { seemsOnItsSide, skewOf } from '../../../../domain/layout/deskew.js';
import { right, type TextRun, unionOf } from '../../../../domain/layout/text-run.js';
import { type Size, type Turn } from '../../../../domain/layout/turned-picture.js';
import { loadSharp } from './load-sharp.js';
import { type Layout, quartersToUpright, type RecognizedWord, recognizeWords } from './tesseract.js';

/** Below this mean confidence a page may stand on its side, which takes a second to find out. */
const DOUBTFUL = 0.7;
/** Below this one another layout may read more of it. */
const GOOD = 0.85;
/** A word so sure is mostly right. */
const SURE_WORD = 0.6;
const FEW_WORDS = 5;
/** Lean is looked for in a picture of this width. */
const SKEW_WIDTH = 900;
/** Words of a line farther apart than this, in its height, are two runs. */
const RUN_GAP = 1.2;

/** What was read, on the picture as it was turned for it. */
export interface Reading {
  runs: TextRun[];
  turn: Turn;
  turned: Size;
  /** Mean confidence of the words; null where there is none. */
  confidence: number | null;
}

/**
 * Reads a picture: straightened, and turned upright where it cannot be read as it stands. One that is hard to read is read again with its text in
 * columns, and what says most is taken.
 */
export async function readPicture(picture: GreyPicture, languages: readonly string[], dpi: number): Promise<Reading> {
  const readings: Reading[] = [];
  const read = async (quarters: Turn['quarters'], layout: Layout): Promise<Reading> => {
    const reading = await readTurned(picture, quarters, { languages, dpi, layout });
    readings.push(reading);
    return reading;
  };
  if (seemsOnItsSide(await scaledDown(picture))) {
    const quarters = await quartersToUpright(picture, dpi);
    if (quarters !== 0 && isSure(await read(quarters, 'block'), DOUBTFUL)) return bestOf(readings);
  }
  if (isSure(await read(0, 'block'), GOOD) || isSure(await read(0, 'columns'), DOUBTFUL)) return bestOf(readings);
  const quarters = await quartersToUpright(picture, dpi);
  if (quarters !== 0) await read(quarters, 'block');
  return bestOf(readings);
}

function isSure({ confidence, runs }: Reading, least: number): boolean {
  return (confidence ?? 0) >= least && runs.reduce((sum, run) => sum + run.words.length, 0) >= FEW_WORDS;
}

/** Noise has many words, and misread ones a high confidence here and there: what counts is how many letters are sure. */
function bestOf(readings: readonly Reading[]): Reading {
  const [first, ...more] = readings;
  if (first === undefined) throw new TypeError('nothing was read');
  return more.reduce((best, one) => (sureLetters(one) > sureLetters(best) ? one : best), first);
}

function sureLetters({ runs }: Reading): number {
  const words = runs.flatMap((run) => run.words).filter(({ confidence }) => confidence >= SURE_WORD);
  return words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0);
}

async function readTurned(
  picture: GreyPicture,
  quarters: Turn['quarters'],
  { languages, dpi, layout }: { languages: readonly string[]; dpi: number; layout: Layout },
): Promise<Reading> {
  const upright = quarters === 0 ? picture : await turned(picture, quarters * 90);
  const degrees = -skewOf(await scaledDown(upright));
  const straight = degrees === 0 ? upright : await turned(upright, degrees);
  const words = await recognizeWords(straight, languages, { dpi, layout });
  const confidence = words.length === 0 ? null : words.reduce((sum, word) => sum + word.confidence, 0) / words.length;
  return {
    runs: runsOf(words),
    turn: { quarters, degrees },
    turned: { width: straight.width, height: straight.height },
    confidence,
  };
}

async function changed({ pixels, width, height }: GreyPicture, change: (image: Sharp) => Sharp): Promise<GreyPicture> {
  const sharp = await loadSharp();
  return greyPicture(change(sharp(pixels, { raw: { width, height, channels: 1 } })));
}

/** Turned clockwise, on white. */
const turned = (picture: GreyPicture, degrees: number): Promise<GreyPicture> =>
  changed(picture, (image) => image.rotate(degrees, { background: '#ffffff' }));

const scaledDown = (picture: GreyPicture): Promise<GreyPicture> | GreyPicture =>
  picture.width <= SKEW_WIDTH ? picture : changed(picture, (image) => image.resize({ width: SKEW_WIDTH }));

/** One byte for each pixel of whatever comes out of a chain of sharp. */
export async function greyPicture(image: Sharp): Promise<GreyPicture> {
  const { data, info } = await image
    .flatten({ background: '#ffffff' })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.channels !== 1) throw new Error(`a grey picture has ${String(info.channels)} channels`);
  return { width: info.width, height: info.height, pixels: data };
}

function runsOf(words: readonly RecognizedWord[]): TextRun[] {
  const runs: TextRun[] = [];
  let [line, gap] = ['', 0];
  for (const { text, box, confidence, line: own } of words) {
    const word = { text, box, confidence, source: 'ocr' as const };
    const last = runs.at(-1);
    if (last === undefined || own !== line || box[0] - right(last.box) > gap)
      runs.push({ box, words: [word], upright: true });
    else runs[runs.length - 1] = { box: unionOf([last.box, box]), words: [...last.words, word], upright: true };
    line = own;
    gap = RUN_GAP * Math.max(box[3], runs.at(-1)?.box[3] ?? 0);
  }
  return runs;
}
