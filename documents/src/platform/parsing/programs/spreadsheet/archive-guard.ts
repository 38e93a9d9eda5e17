import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { openPromise } from 'yauzl';
import { overLimit, refusal } from '../serve.js';

const MIB = 1024 * 1024;
const MAX_ENTRIES = 10_000;
const MAX_ENTRY_BYTES = 512 * MIB;
const MAX_TOTAL_BYTES = 2048 * MIB;
const MAX_RATIO = 200;
/** Below it a ratio says nothing: a small file of one letter is no bomb. */
const RATIO_FROM_BYTES = MIB;
const PIECE_BYTES = 256 * 1024;
const STORED = 0;
const DEFLATED = 8;
/** How XML says that it brings its own rules for reading it, in the encodings that a workbook may have. */
const DOCUMENT_TYPES = ['<!DOCTYPE', '<!ENTITY'].flatMap((mark) => [
  Buffer.from(mark, 'latin1'),
  Buffer.from(mark, 'utf16le'),
  Buffer.from(mark, 'utf16le').swap16(),
]);
const LONGEST_MARK = Math.max(...DOCUMENT_TYPES.map((mark) => mark.length));
const NESTED_NAME = /\.(zip|xlsx|xlsm|xlsb|docx|pptx|ods|odt|jar|7z|rar|gz|tgz|bz2|xz|zst)$/i;
/** Office packs some pictures one by one; nobody opens them here. */
const PACKED_PICTURE = /\.(emz|wmz|svgz)$/i;
const NESTED_MAGIC = [
  '504b0304',
  '504b0506',
  '377abcaf271c',
  '526172211a07',
  '1f8b08',
  '425a68',
  'fd377a585a00',
  '28b52ffd',
];

/** What a look at all entries of a workbook's archive tells. */
export interface ArchiveFacts {
  inflatedBytes: number;
  hasMacros: boolean;
  hasExternalLinks: boolean;
  hasStyles: boolean;
}

/**
 * Inflates every entry of the archive once and counts, before a library that trusts it opens it.
 * @throws ParserRefusal for an archive over a limit, with another archive or with XML entities inside, encrypted or broken
 */
export async function guardArchive(path: string): Promise<ArchiveFacts> {
  const zip = await openPromise(path, { autoClose: false, strictFileNames: false }).catch(refuseBroken);
  try {
    return await countEntries(zip, statSync(path).size);
  } finally {
    zip.close();
  }
}

async function countEntries(zip: ZipFile, archiveBytes: number): Promise<ArchiveFacts> {
  const facts = { inflatedBytes: 0, hasMacros: false, hasExternalLinks: false, hasStyles: false };
  let entries = 0;
  if (zip.entryCount > MAX_ENTRIES) throw overLimit('entries', `the archive has more than ${MAX_ENTRIES} entries`);
  for await (const entry of entriesOf(zip)) {
    if (++entries > MAX_ENTRIES) throw overLimit('entries', `the archive has more than ${MAX_ENTRIES} entries`);
    if (entry.isEncrypted()) throw refusal('password_required', 'the workbook is encrypted');
    if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
      throw refusal('unsupported', 'the archive is compressed in a way that workbooks do not use');
    if (NESTED_NAME.test(entry.fileName)) throw overLimit('nested_archive', 'the archive has another archive inside');
    facts.hasMacros ||= /(^|\/)vbaProject\.bin$|^(Basic|Scripts)\//i.test(entry.fileName);
    facts.hasExternalLinks ||= /^xl\/(externalLinks|connections)\b/i.test(entry.fileName);
    facts.hasStyles ||= /(^|\/)styles\.xml$/.test(entry.fileName);
    facts.inflatedBytes += await countEntry(zip, entry, facts.inflatedBytes);
  }
  if (facts.inflatedBytes > RATIO_FROM_BYTES && facts.inflatedBytes > archiveBytes * MAX_RATIO) throw tooDense();
  return facts;
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  try {
    for await (const entry of zip.eachEntry()) yield entry;
  } catch (error) {
    refuseBroken(error);
  }
}

/** @returns bytes of the entry when it is inflated */
async function countEntry(zip: ZipFile, entry: Entry, before: number): Promise<number> {
  const isXml = /\.(xml|rels|vml|xhtml|rdf)$/i.test(entry.fileName);
  let bytes = 0;
  let tail = Buffer.alloc(0);
  for await (const chunk of inflate(zip, entry)) {
    if (bytes === 0 && !PACKED_PICTURE.test(entry.fileName)) refuseNested(chunk);
    bytes += chunk.length;
    if (bytes > MAX_ENTRY_BYTES)
      throw overLimit('entry_bytes', `an entry of the archive is larger than ${MAX_ENTRY_BYTES / MIB} MiB`);
    if (before + bytes > MAX_TOTAL_BYTES)
      throw overLimit('archive_bytes', `the archive holds more than ${MAX_TOTAL_BYTES / MIB} MiB`);
    if (bytes > RATIO_FROM_BYTES && bytes > entry.compressedSize * MAX_RATIO) throw tooDense();
    if (!isXml) continue;
    const seen = Buffer.concat([tail, chunk]);
    if (DOCUMENT_TYPES.some((mark) => seen.includes(mark)))
      throw overLimit(
        'entities',
        'the workbook has XML with a document type of its own, which no program that makes workbooks writes',
      );
    tail = seen.subarray(Math.max(0, seen.length - LONGEST_MARK));
  }
  return bytes;
}

/** Its bytes in pieces that are larger than zlib's own: it is done in a third of the time. */
async function* inflate(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false });
    for await (const chunk of inflated(packed, entry)) {
      bytes += chunk.length;
      if (bytes > entry.uncompressedSize) break;
      yield chunk;
    }
  } catch (error) {
    refuseBroken(error);
  }
  if (bytes !== entry.uncompressedSize) refuseBroken(entry);
}

function inflated(packed: Readable, { compressionMethod }: Entry): AsyncIterable<Buffer> {
  if (compressionMethod === STORED) return packed;
  const inflater = createInflateRaw({ chunkSize: PIECE_BYTES });
  packed.once('error', (error) => inflater.destroy(error));
  inflater.once('close', () => packed.destroy());
  return packed.pipe(inflater);
}

function refuseNested(beginning: Buffer): void {
  const magic = beginning.subarray(0, 6).toString('hex');
  if (NESTED_MAGIC.some((one) => magic.startsWith(one)))
    throw overLimit('nested_archive', 'the archive has another archive inside');
}

function tooDense(): Error {
  return overLimit('compression_ratio', `the archive is compressed more than ${MAX_RATIO} times`);
}

function refuseBroken(_error: unknown): never {
  throw refusal('broken', 'the archive of the workbook is damaged');
}
