import { createReadStream, openSync, readSync, closeSync } from 'node:fs';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

const SAMPLE_BYTES = 1024 * 1024;
/** Bytes that no text holds: control characters except tab, line feed, form feed, carriage return and escape. */
const CONTROLS = new Set([...Array(32).keys(), 127].filter((byte) => ![9, 10, 12, 13, 27].includes(byte)));

export function readSample(path: string, bytes = SAMPLE_BYTES): Buffer {
  const file = openSync(path, 'r');
  try {
    const sample = Buffer.alloc(bytes);
    return sample.subarray(0, readSync(file, sample, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}

/**
 * How the beginning of a text is encoded, or null when it is no text. What is not UTF-8 is Latin-1 as browsers read it; a text that turns out later
 * not to be UTF-8 is found by {@link isUtf8}.
 */
export function encodingOf(sample: Buffer): Encoding | null {
  if (sample.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) return 'utf-8';
  if (sample.subarray(0, 2).equals(Buffer.from([0xff, 0xfe])))
    return isPrintable(sample, 'utf-16le') ? 'utf-16le' : null;
  if (sample.subarray(0, 2).equals(Buffer.from([0xfe, 0xff])))
    return isPrintable(sample, 'utf-16be') ? 'utf-16be' : null;
  if (sample.some((byte) => CONTROLS.has(byte))) return null;
  return isWhole(sample) ? 'utf-8' : 'windows-1252';
}

function isPrintable(sample: Buffer, encoding: Encoding): boolean {
  const text = new TextDecoder(encoding).decode(sample.subarray(0, sample.length & ~1));
  return !/[\p{Cc}\ufffe\uffff]/u.test(text.replaceAll(/\s/g, ''));
}

/** A character may be cut by the end of the sample. */
function isWhole(sample: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch {
    // The decoder says by throwing that this is another encoding.
    return false;
  }
}

/** The encoding of a whole file whose beginning is `encoding`: UTF-8 only when all of it is. */
export async function settleEncoding(path: string, encoding: Encoding): Promise<Encoding> {
  if (encoding !== 'utf-8') return encoding;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return 'utf-8';
  } catch (error) {
    if (error instanceof TypeError) return 'windows-1252';
    throw error;
  }
}

/** The text of a file in pieces, without its byte order mark. */
export async function* decodeFile(path: string, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>)
    yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
