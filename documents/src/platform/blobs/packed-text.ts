import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';

const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)];

/** A text as it is kept in blobs: compressed for itself, so that several lie in one blob and each is read without the others. */
export async function packText(text: string): Promise<Buffer> {
  return compress(text);
}

/** The text that was packed; null where it is longer than that. @param maxBytes of the text */
export async function unpackText(packed: Uint8Array, maxBytes: number): Promise<string | null> {
  try {
    return (await decompress(packed, { maxOutputLength: maxBytes })).toString('utf8');
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}
