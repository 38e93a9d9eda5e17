import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Page } from '../../domain/page-model.js';
import type { BlobStore } from '../../platform/blobs/blob-store.js';
import { packText, unpackText } from '../../platform/blobs/packed-text.js';

/** What is kept of a page beside its text: where everything stands. */
export type PageDetails = Pick<Page, 'words' | 'lines' | 'rules' | 'fields' | 'images' | 'tables'>;

const MIB = 1024 * 1024;
const MAX_BLOB_BYTES = 1024 * MIB;
/** Twice what a parser may print: what is left out of an item may come back as `null`. */
const MAX_DETAILS_BYTES = 256 * MIB;
/** `<parse>/<name>@<offset>+<length>` */
const PLACE = /^(?<key>.+)@(?<offset>\d+)\+(?<length>\d+)$/;

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
    frames.push(await packText(JSON.stringify({ words, lines, rules, fields, images, tables })));
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
  const text = await unpackText(await readPackedDetails(store, place), maxBytes);
  return text === null ? null : (JSON.parse(text) as PageDetails);
}

/** The same as they are kept, for whoever unpacks them elsewhere. @throws DocsvcError `not_found` where they were purged */
export async function readPackedDetails(store: Pick<BlobStore, 'readRange'>, place: string): Promise<Buffer> {
  const { key, offset, length } = PLACE.exec(place)?.groups ?? {};
  if (key === undefined) throw new Error(`${place} is no place of a page`);
  return buffer(await store.readRange(key, { offset: Number(offset), length: Number(length) }));
}
