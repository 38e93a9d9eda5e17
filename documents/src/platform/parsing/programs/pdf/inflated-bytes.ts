import { Readable } from 'node:stream';
import { createInflate, constants, inflateSync } from 'node:zlib';
import type { FileWindow } from './file-window.js';

/** Streams up to this size, packed and unpacked, are unpacked at once, the others while they are read. */
const AT_ONCE = 4 * 1024 * 1024;
/** A stream that was cut off gives what it has. */
const TOLERANT = { finishFlush: constants.Z_SYNC_FLUSH };
/** Each part is made on another thread, and on a busy machine it is that thread's turn that takes long. */
const IN_PARTS_OF = { chunkSize: 1024 * 1024 };

export interface Inflated {
  /** All bytes that come out, of every layer. */
  bytes: number;
  /** What a small stream of one layer holds. */
  content: Buffer | null;
}

/** Unpacks `layers` deflate layers of a stream, counting; stops as soon as more than `most` came out. What is damaged counts as far as it goes. */
export async function inflatedBytes(
  file: FileWindow,
  { start, end, layers, most }: { start: number; end: number; layers: number; most: number },
): Promise<Inflated> {
  if (layers === 1 && end - start <= AT_ONCE) {
    const content = unpackAtOnce(file.from(start, end - start).subarray(0, end - start));
    if (content !== null) return { bytes: content.length, content };
  }
  return { bytes: await countThrough(file.parts(start, end), layers, most), content: null };
}

/** Null for a stream that is too large to be unpacked at once. */
function unpackAtOnce(packed: Buffer): Buffer | null {
  try {
    return inflateSync(packed, { ...TOLERANT, maxOutputLength: AT_ONCE });
  } catch (error) {
    if (error instanceof RangeError) return null;
    // Damaged, or encrypted: nothing comes out.
    if (isZlibError(error)) return Buffer.alloc(0);
    throw error;
  }
}

async function countThrough(parts: Iterable<Buffer>, layers: number, most: number): Promise<number> {
  const stages = Array.from({ length: layers }, () => createInflate({ ...TOLERANT, ...IN_PARTS_OF }));
  let bytes = 0;
  let source: Readable = Readable.from(parts);
  for (const stage of stages) {
    stage.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > most) stage.destroy();
    });
    source.on('error', () => stage.end());
    source = source.pipe(stage);
  }
  await new Promise<void>((resolve, reject) => {
    source.on('close', resolve);
    for (const stage of stages) {
      stage.on('error', (error) => (isZlibError(error) ? resolve() : reject(error)));
      stage.on('close', () => {
        if (bytes > most) resolve();
      });
    }
  });
  for (const stage of stages) stage.destroy();
  return bytes;
}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');
