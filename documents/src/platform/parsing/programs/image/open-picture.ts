import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { decode } from 'bmp-ts';
import sharp, { type Sharp } from 'sharp';
import type { ParseFailure } from '../../../../domain/page-model.js';
import { overLimit, ParserRefusal, refusal } from '../serve.js';
import { pictureSize } from './picture-size.js';

export const PICTURE_LIMITS = { pixels: 100_000_000, frames: 2000 } as const;
const HEADER_BYTES = 64 * 1024;

/** One frame of a picture, as it is displayed. */
export interface Frame {
  width: number;
  height: number;
  /** By how much it is turned to be displayed. */
  rotation: 0 | 90 | 180 | 270;
  /** Dots per inch as it states them; null where it does not, or says what no scanner does: 72 and 96 are of screens. */
  dpi: number | null;
  /** A chain of sharp that begins with the frame upright, unscaled. */
  open: () => Sharp;
}

export interface Picture {
  contentType: string;
  frames: number;
  frame: (number: number) => Promise<Frame>;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  tiff: 'image/tiff',
  webp: 'image/webp',
};
const OPTIONS = { limitInputPixels: PICTURE_LIMITS.pixels, failOn: 'error', sequentialRead: true } as const;

/** Looks at the header of a picture. Nothing is decoded before its size is known to be within the limits. */
export async function openPicture(path: string): Promise<Picture> {
  const header = firstBytes(path);
  const size = pictureSize(header);
  if (size !== null) checkPixels(size.width, size.height);
  if (header.toString('latin1', 0, 2) === 'BM') return bmpPicture(path);
  const { format, pages = 1 } = await speaking(() => sharp(path, OPTIONS).metadata());
  const contentType = CONTENT_TYPES[format];
  if (contentType === undefined) throw refusal('unsupported', `pictures of the kind ${format} are not read`);
  if (pages > PICTURE_LIMITS.frames)
    throw overLimit('frames', `the picture has ${String(pages)} frames; at most 2,000 are read`);
  return { contentType, frames: pages, frame: (number) => frameOf(path, number) };
}

async function frameOf(path: string, number: number): Promise<Frame> {
  const open = (): Sharp => sharp(path, { ...OPTIONS, page: number - 1 }).autoOrient();
  const { width, height, orientation = 1, density, autoOrient } = await speaking(() => open().metadata());
  checkPixels(width, height);
  const rotation = orientation === 3 || orientation === 4 ? 180 : orientation >= 7 ? 270 : orientation >= 5 ? 90 : 0;
  const dpi = density !== undefined && density >= 100 && density <= 1200 ? density : null;
  return { ...autoOrient, rotation, dpi, open };
}

function bmpPicture(path: string): Picture {
  const frame = async (): Promise<Frame> => {
    const { data, width, height } = await speaking(() => decode(readFileSync(path), { toRGBA: true }));
    // The fourth byte of a pixel says nothing in most files, and is 0 then.
    for (let at = 3; at < data.length; at += 4) data[at] = 255;
    const open = (): Sharp => sharp(data, { raw: { width, height, channels: 4 } });
    return { width, height, rotation: 0, dpi: null, open };
  };
  return { contentType: 'image/bmp', frames: 1, frame };
}

function firstBytes(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(HEADER_BYTES);
    return bytes.subarray(0, readSync(file, bytes, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

function checkPixels(width: number, height: number): void {
  if (width * height > PICTURE_LIMITS.pixels)
    throw overLimit(
      'pixels',
      `the picture has ${String(width)} × ${String(height)} pixels; at most 100 million are read`,
    );
}

/** What the decoder says of a picture that it cannot read, as a refusal. */
export async function speaking<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ParserRefusal ? error : new ParserRefusal(failureOf(error));
  }
}

function failureOf(error: unknown): ParseFailure {
  const message = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
  if (/pixel limit|too large|exceeds/i.test(message))
    return { kind: 'limit', limit: 'pixels', message: 'the picture is larger than 100 million pixels' };
  return { kind: 'broken', message: `the picture could not be decoded: ${message}` };
}
