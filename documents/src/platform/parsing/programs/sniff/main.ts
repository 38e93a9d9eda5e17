import { openAsBlob } from 'node:fs';
import { fileTypeFromBlob } from 'file-type';
import { INSIDE } from '../../parser-protocol.js';
import type { Format, Sniffed, SniffRequest } from '../../sniff-request.js';
import { serve } from '../serve.js';
import { encodingOf, readSample } from '../text/encoding.js';
import { delimiterOf } from '../text/delimiter.js';

const KNOWN: Readonly<Record<string, Sniffed>> = {
  png: { kind: 'image', format: 'png', contentType: 'image/png' },
  apng: { kind: 'image', format: 'png', contentType: 'image/png' },
  jpg: { kind: 'image', format: 'jpeg', contentType: 'image/jpeg' },
  tif: { kind: 'image', format: 'tiff', contentType: 'image/tiff' },
  webp: { kind: 'image', format: 'webp', contentType: 'image/webp' },
  bmp: { kind: 'image', format: 'bmp', contentType: 'image/bmp' },
  ods: { kind: 'spreadsheet', format: 'ods', contentType: 'application/vnd.oasis.opendocument.spreadsheet' },
};
const PDF: Sniffed = { kind: 'pdf', format: 'pdf', contentType: 'application/pdf' };
const XLSX: Sniffed = {
  kind: 'spreadsheet',
  format: 'xlsx',
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};
const XLS: Sniffed = { kind: 'spreadsheet', format: 'xls', contentType: 'application/vnd.ms-excel' };
const TEXTS: Readonly<Record<'csv' | 'tsv' | 'plain' | 'markdown', Sniffed>> = {
  csv: { kind: 'spreadsheet', format: 'csv', contentType: 'text/csv' },
  tsv: { kind: 'spreadsheet', format: 'tsv', contentType: 'text/tab-separated-values' },
  plain: { kind: 'text', format: 'plain', contentType: 'text/plain' },
  markdown: { kind: 'text', format: 'markdown', contentType: 'text/markdown' },
};
/** Texts of a known form are read as texts. */
const TEXTUAL: ReadonlySet<string> = new Set(['xml', 'ics', 'vcf', 'srt']);
/** Readers of PDF look for the header this far. */
const PDF_HEADER_BYTES = 1024;

/** Of a file of old Office that are searched for the names of its streams. */
const OLD_OFFICE_BYTES = 256 * 1024 * 1024;

/** What a document is, by its bytes. */
async function sniff({ name }: SniffRequest): Promise<Sniffed> {
  const sample = readSample(INSIDE.document);
  if (sample.subarray(0, PDF_HEADER_BYTES).includes('%PDF-')) return PDF;
  if (sample.subarray(0, 8).equals(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]))) return oldOffice();
  const found = await fileTypeFromBlob(await openAsBlob(INSIDE.document));
  if (found === undefined || TEXTUAL.has(found.ext)) return text(sample, name) ?? other(found?.mime);
  if (['xlsx', 'xlsm', 'xltx', 'xltm'].includes(found.ext)) return XLSX;
  return KNOWN[found.ext] ?? other(found.mime);
}

/**
 * A file of many streams whose names stand in it in UTF-16: one of an old workbook is called so, and a workbook behind a password hides in one
 * called otherwise. Read whole, because the list of names may stand at the end.
 */
function oldOffice(): Sniffed {
  const has = (bytes: Buffer, ...names: string[]) =>
    names.some((one) => bytes.includes(Buffer.from(`${one}\0`, 'utf16le')));
  const bytes = readSample(INSIDE.document, OLD_OFFICE_BYTES);
  if (has(bytes, 'Workbook', 'Book')) return XLS;
  if (has(bytes, 'EncryptedPackage')) return XLSX;
  return other('application/x-cfb');
}

function text(sample: Buffer, name = ''): Sniffed | null {
  const encoding = sample.length === 0 ? null : encodingOf(sample);
  if (encoding === null) return null;
  const [, extension = ''] = /\.([a-z]+)$/i.exec(name) ?? [];
  const named: Partial<Record<string, Format>> = {
    csv: 'csv',
    tsv: 'tsv',
    tab: 'tsv',
    md: 'markdown',
    markdown: 'markdown',
  };
  const format = named[extension.toLowerCase()];
  if (format === 'csv' || format === 'tsv' || format === 'markdown') return TEXTS[format];
  const delimiter = delimiterOf(new TextDecoder(encoding).decode(sample));
  if (delimiter === null || extension.toLowerCase() === 'txt') return TEXTS.plain;
  return delimiter === '\t' ? TEXTS.tsv : TEXTS.csv;
}

function other(mime = 'application/octet-stream'): Sniffed {
  return { kind: 'other', format: 'other', contentType: mime };
}

await serve<SniffRequest>(async (request, emit) => emit(await sniff(request)));
