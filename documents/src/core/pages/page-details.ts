import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { Page } from '../../domain/page-model.js';
import type { BlobStore } from '../../platform/blobs/blob-store.js';

/** What is kept of a page beside its text: where everything stands. */
export type PageDetails = Pick<Page, 'words' | 'lines' | 'rules' | 'fields' | 'images' | 'tables'>;

const MIB = 1024 * 1024;
const MAX_BLOB_BYTES = 1024 * MIB;
/** Twice what a parser may print: what is left out of an item may come back as `null`. */
const MAX_DETAILS_BYTES = 256 * MIB;
/** `<parse>/<name>@<offset>+<length>` */
const PLACE = /^(?<key>.+)@(?<offset>\d+)\+(?<length>\d+)$/;

const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)];

/**
 * Writes the details of some pages into one blob of their parse, each compressed for itself, so that one page is read without the others.
 * Writing them again is the same.
 *
 * @param name of the blob, such as `pages-51`
 * @returns the place of each page, in their order
 */
export async function writePageDetails(
  store: Pick<BlobStore, 'put'>,
  parseId: string,
  name: string,
  pages: readonly PageDetails[],
): Promise<string[]> {
  if (pages.length === 0) return [];
  const frames: Buffer[] = [];
  for (const { words, lines, rules, fields, images, tables } of pages) {
    frames.push(await compress(JSON.stringify({ words, lines, rules, fields, images, tables })));
  }
  const key = `${parseId}/${name}`;
  await store.put(key, Readable.from(frames, { objectMode: false }), MAX_BLOB_BYTES);
  let offset = 0;
  return frames.map(({ length }) => {
    const place = `${key}@${offset}+${length}`;
    offset += length;
    return place;
  });
}

/** The details of the page whose place is given. @throws DocsvcError `not_found` where they were purged */
export async function readPageDetails(store: Pick<BlobStore, 'readRange'>, place: string): Promise<PageDetails> {
  const details = await readBoundedDetails(store, place, MAX_DETAILS_BYTES);
  if (details === null) throw new Error(`${place} is larger than any page that a parser may print`);
  return details;
}

/** The same; null where they are larger, unpacked, than the reader takes. */
export async function readBoundedDetails(
  store: Pick<BlobStore, 'readRange'>,
  place: string,
  maxBytes: number,
): Promise<PageDetails | null> {
  const { key, offset, length } = PLACE.exec(place)?.groups ?? {};
  if (key === undefined) throw new Error(`${place} is no place of a page`);
  const frame = await buffer(await store.readRange(key, { offset: Number(offset), length: Number(length) }));
  try {
    const json = await decompress(frame, { maxOutputLength: maxBytes });
    return JSON.parse(json.toString('utf8')) as PageDetails;
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}
