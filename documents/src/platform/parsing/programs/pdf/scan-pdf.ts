import { overLimit } from '../serve.js';
import { FileWindow } from './file-window.js';
import { inflatedBytes } from './inflated-bytes.js';
import { dictionaryOf, type PdfMark, pdfMarks, runOfFilters } from './pdf-syntax.js';

export const PDF_LIMITS = { objects: 1_000_000, inflatedBytes: 1024 ** 3, filterLayers: 64 } as const;

export interface PdfScan {
  objects: number;
  inflatedBytes: number;
  /** What the document asks for beside being shown. */
  marks: Set<PdfMark>;
}

/**
 * Goes over the bytes of a PDF before a reader opens it: counts objects, layers of filters and what comes out of its streams, and refuses what is
 * over a limit as soon as it is met. It does not follow the document's own tables, which may lie. Streams of an encrypted document stay closed.
 */
export async function scanPdf(path: string): Promise<PdfScan> {
  using file = new FileWindow(path);
  const scan: PdfScan = { objects: 0, inflatedBytes: 0, marks: new Set() };
  for (let at = 0; at < file.size;) at = await scanUpToStreamEnd(file, at, scan);
  return scan;
}

/** Reads from a place outside of streams up to the end of the next stream, and says where that is. */
async function scanUpToStreamEnd(file: FileWindow, place: number, scan: PdfScan): Promise<number> {
  const bytes = file.from(place);
  const keyword = bytes.indexOf('stream');
  if (keyword < 0) {
    // The window may end amid an object, which is then looked at again with what follows.
    const whole =
      place + bytes.length >= file.size ? bytes.length : Math.max(bytes.lastIndexOf('endobj'), bytes.length / 2);
    takeSyntax(bytes.toString('latin1', 0, Math.floor(whole)), scan);
    return place + Math.max(1, Math.floor(whole));
  }
  const syntax = bytes.toString('latin1', 0, keyword);
  takeSyntax(syntax, scan);
  const after = place + keyword + 'stream'.length;
  if (syntax.endsWith('end')) return after;
  const { filters, length, objectsInside } = dictionaryOf(syntax);
  checkLayers(filters.length);
  const start =
    after + (bytes[keyword + 6] === 13 ? 1 : 0) + (bytes[keyword + 6] === 13 && bytes[keyword + 7] !== 10 ? 0 : 1);
  const end = endOfStream(file, start, length);
  addObjects(objectsInside, scan);
  let layers = 0;
  while (filters[layers] === 'FlateDecode' || filters[layers] === 'Fl') layers += 1;
  if (layers > 0 && end > start) {
    const most = PDF_LIMITS.inflatedBytes - scan.inflatedBytes;
    const { bytes: inflated, content } = await inflatedBytes(file, { start, end, layers, most });
    scan.inflatedBytes += inflated;
    if (inflated > most) throw overLimit('inflated_bytes', 'the streams of the PDF unpack to more than 1 GiB');
    if (objectsInside > 0 && content !== null) takeSyntax(content.toString('latin1'), scan);
  }
  return end;
}

/** By the length that the stream states, where that is true, or else where the word stands that ends it. */
function endOfStream(file: FileWindow, start: number, length: number | null): number {
  if (length !== null && start + length <= file.size) {
    const next = file
      .from(start + length, 16)
      .subarray(0, 16)
      .toString('latin1');
    if (/^\s*endstream/.test(next)) return start + length;
  }
  return file.find('endstream', start);
}

function takeSyntax(syntax: string, scan: PdfScan): void {
  addObjects(syntax.match(/\d\s+\d+\s+obj\b/g)?.length ?? 0, scan);
  checkLayers(runOfFilters(syntax));
  for (const mark of pdfMarks(syntax)) scan.marks.add(mark);
}

function addObjects(count: number, scan: PdfScan): void {
  scan.objects += count;
  if (scan.objects > PDF_LIMITS.objects) throw overLimit('objects', 'the PDF has more than 1,000,000 objects');
}

function checkLayers(layers: number): void {
  if (layers > PDF_LIMITS.filterLayers)
    throw overLimit('filter_layers', 'a stream of the PDF is packed in more than 64 layers');
}
