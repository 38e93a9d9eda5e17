import { PIXELS_TO_READ, rasterDpi, RASTER_LIMITS, type Size } from '../../../../domain/layout/turned-picture.js';
import type { Page } from '../../../../domain/page-model.js';
import type { LostPage, ReadPage, RenderedPage } from '../../page-requests.js';
import { greyPicture, readPicture } from '../recognition/read-picture.js';
import { recognizedPage } from '../recognition/recognized-page.js';
import { requireLanguages } from '../recognition/tesseract.js';
import { ParserRefusal, refusal } from '../serve.js';
import { type Frame, type Picture, speaking } from './open-picture.js';

/** What a picture without a statement is taken to be scanned at. */
const USUAL_DPI = 200;

/** Each frame is a page that says nothing before it is recognized. */
export async function readFrames(
  picture: Picture,
  from: number,
  to: number,
  emit: (page: ReadPage | LostPage) => void,
): Promise<void> {
  for (let pageNumber = from; pageNumber <= to; pageNumber += 1) {
    try {
      emit({ page: emptyPage(pageNumber, await frameAt(picture, pageNumber)), needsOcr: true });
    } catch (error) {
      if (!(error instanceof ParserRefusal)) throw error;
      emit({ pageNumber, failure: error.failure });
    }
  }
}

export async function recognizeFrame(
  picture: Picture,
  pageNumber: number,
  languages: readonly string[],
): Promise<ReadPage> {
  await requireLanguages(languages);
  const frame = await frameAt(picture, pageNumber);
  const grey = await speaking(() => greyPicture(scaled(frame, scaleToRead(frame))));
  const dpi = (frame.dpi ?? USUAL_DPI) * (grey.width / frame.width);
  const reading = await readPicture(grey, languages, dpi);
  return { page: recognizedPage(emptyPage(pageNumber, frame), reading, grey), needsOcr: false };
}

/** A picture is drawn as if scanned at 200 dots per inch where it does not say at how many, and never larger than it is. */
export async function renderFrame(picture: Picture, pageNumber: number, dpi: number): Promise<RenderedPage> {
  const frame = await frameAt(picture, pageNumber);
  const scale = Math.min(1, dpi / (frame.dpi ?? USUAL_DPI), largestScale(frame, RASTER_LIMITS.pixels));
  const { data, info } = await speaking(() => scaled(frame, scale).png().toBuffer({ resolveWithObject: true }));
  return { pageNumber, width: info.width, height: info.height, png: data.toString('base64') };
}

async function frameAt(picture: Picture, pageNumber: number): Promise<Frame> {
  if (pageNumber < 1 || pageNumber > picture.frames)
    throw refusal('broken', `the picture has no frame ${String(pageNumber)}`);
  return picture.frame(pageNumber);
}

function emptyPage(pageNumber: number, { width, height, rotation }: Frame): Page {
  return {
    pageNumber,
    width,
    height,
    unit: 'px',
    rotation,
    text: '',
    source: 'ocr',
    ocrConfidence: null,
    words: [],
    lines: [],
    rules: [],
    fields: [],
    images: [[0, 0, 1, 1]],
    tables: [],
    warnings: [],
  };
}

const scaled = (frame: Frame, scale: number) =>
  scale === 1 ? frame.open() : frame.open().resize({ width: Math.max(1, Math.round(frame.width * scale)) });

/** Small pictures are read better enlarged, large ones as well when they are brought to what a page is drawn at. */
function scaleToRead(frame: Frame): number {
  const wanted = Math.max(frame.width, frame.height) < SMALL_SIDE ? ENLARGED : 1;
  return Math.min(wanted, largestScale(frame, PIXELS_TO_READ));
}

const SMALL_SIDE = 1100;
const ENLARGED = 2;

/** Pixels count as dots here: 72 points of a page at 72 dots per inch are 72 pixels. */
const largestScale = (size: Size, pixels: number): number => rasterDpi(size, 72 * ENLARGED, pixels) / 72;
