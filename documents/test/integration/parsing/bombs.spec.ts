import { afterAll, describe, expect, it } from '@jest/globals';
import type { ParseFailure } from '../../../src/domain/page-model.js';
import type { Format } from '../../../src/platform/parsing/sniff-request.js';
import { DocumentFolder } from '../../support/parsing/document-folder.js';
import {
  onePage,
  packedZeros,
  pdfOfPages,
  pngOfSize,
  rawPdf,
  tiffOfFrames,
} from '../../support/parsing/generated-files.js';

const folder = new DocumentFolder();
afterAll(() => {
  folder[Symbol.dispose]();
});

const MIB = 1024 * 1024;
const LONGEST_MS = 60_000;

async function inspected(bytes: Buffer, format: Format = 'pdf'): Promise<ParseFailure | null> {
  const started = Date.now();
  const { failure } = await folder.reader.inspect(folder.put(bytes), format);
  expect(Date.now() - started).toBeLessThan(LONGEST_MS);
  return failure;
}

/** A stream of zeros that is packed in layers of deflate, and says that it is packed in so many. */
const packed = (mebibytes: number, filters: number) => ({
  dictionary: `/Filter [${'/FlateDecode '.repeat(filters)}]`,
  data: packedZeros(mebibytes * MIB, Math.min(filters, 3)),
});

describe('documents that are made to exhaust their reader', () => {
  it.each<[string, () => Buffer, Format, string]>([
    ['a PDF of 20,001 pages', () => pdfOfPages(20_001), 'pdf', 'pages'],
    ['a PDF of over a million objects', () => rawPdf(new Array<string>(1_000_001).fill('0')), 'pdf', 'objects'],
    ['a stream of 65 layers', () => onePage(packed(1, 65)), 'pdf', 'filter_layers'],
    [
      'layers that an array of their own names',
      () => onePage({ dictionary: '/Filter 5 0 R', data: Buffer.alloc(9) }, '', [`[${'/Fl '.repeat(65)}]`]),
      'pdf',
      'filter_layers',
    ],
    [
      'streams that unpack to over 1 GiB together',
      () => onePage(packed(60, 1), '', new Array(17).fill(packed(64, 1))),
      'pdf',
      'inflated_bytes',
    ],
    [
      'a stream that unpacks twice, the second time to over 1 GiB',
      () => onePage(packed(1100, 2)),
      'pdf',
      'inflated_bytes',
    ],
    ['a picture of 100 gigapixels', () => pngOfSize(316_228, 316_228), 'png', 'pixels'],
    ['a picture of 2,001 frames', () => tiffOfFrames(2001), 'tiff', 'frames'],
  ])('DI-005 %s: refused by the limit that it is over', async (_, make, format, limit) => {
    expect(await inspected(make(), format)).toMatchObject({ kind: 'limit', limit });
  });

  it('documents just within the limits are opened', async () => {
    expect(await inspected(pdfOfPages(20_000))).toBeNull();
    expect(await inspected(onePage(packed(1, 1), '', new Array(15).fill(packed(64, 1))))).toBeNull();
    expect(await inspected(tiffOfFrames(2000), 'tiff')).toBeNull();
    expect(await inspected(pngOfSize(10_000, 10_000), 'png')).toBeNull();
  });

  it('a page with a picture of 100 gigapixels ends by name, and the page before it is read', async () => {
    const picture = {
      dictionary:
        '/Type /XObject /Subtype /Image /Width 316228 /Height 316228 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode',
      data: packedZeros(MIB),
    };
    const bytes = onePage(
      { dictionary: '', data: Buffer.from('q 600 0 0 800 0 0 cm /P Do Q') },
      '/XObject << /P 5 0 R >>',
      [picture],
    );
    const file = folder.put(bytes);
    const started = Date.now();
    expect((await folder.reader.inspect(file, 'pdf')).failure).toBeNull();
    const read = await folder.reader.read(file, 'pdf', { from: 1, to: 1 });
    const recognized = await folder.reader.recognize(file, 'pdf', { pageNumber: 1, languages: ['eng'] });
    expect(Date.now() - started).toBeLessThan(LONGEST_MS);
    // Whatever the reader makes of it, a page of nothing or a limit: it is said.
    for (const { items, failure } of [read, recognized]) expect(items.length + Number(failure !== null)).toBe(1);
  });
});
