import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import type { Box, Page } from '../../../src/domain/page-model.js';
import type { Format } from '../../../src/platform/parsing/sniff-request.js';
import { DocumentFolder } from '../../support/parsing/document-folder.js';
import { drawnPdf } from '../../support/parsing/generated-files.js';

const folder = new DocumentFolder();
afterAll(() => {
  folder[Symbol.dispose]();
});

const LINES = [
  'Delivery note of the northern harbour',
  'seventeen crates of oranges from Valencia',
  'eleven barrels of olive oil from Crete',
  'signed by the master of the vessel',
  'on the fourth of November at noon',
  'counted again before the customs officer',
];
const WORDS = LINES.join(' ').split(' ');

/** A letter page of the lines, drawn as a scanner sees it. */
let scan: Buffer;

beforeAll(async () => {
  const pdf = await drawnPdf(
    (drawing) => {
      LINES.forEach((line, index) => drawing.fontSize(16).text(line, 60, 60 + index * 40, { lineBreak: false }));
    },
    { size: [600, 400] },
  );
  const { items } = await folder.reader.render(folder.put(pdf), 'pdf', { pageNumber: 1, dpi: 200 });
  scan = Buffer.from(items[0]?.png ?? '', 'base64');
});

async function recognized(bytes: Buffer, format: Format): Promise<Page> {
  const file = folder.put(bytes);
  const read = await folder.reader.read(file, format, { from: 1, to: 1 });
  expect(read.items).toMatchObject([{ needsOcr: true }]);
  const { items, failure } = await folder.reader.recognize(file, format, { pageNumber: 1, languages: ['eng'] });
  expect(failure).toBeNull();
  return items[0]!.page;
}

/** The scan on a page of its size, turned clockwise about its middle. */
const scannedPdf = (degrees: number): Promise<Buffer> => {
  const onSide = degrees % 180 !== 0 && degrees % 90 === 0;
  const size: [number, number] = onSide ? [400, 600] : [600, 400];
  return drawnPdf(
    (drawing) => {
      drawing.rotate(degrees, { origin: [size[0] / 2, size[1] / 2] });
      drawing.image(scan, size[0] / 2 - 300, size[1] / 2 - 200, { width: 600, height: 400 });
    },
    { size },
  );
};

const middleOf = (box: Box): [number, number] => [box[0] + box[2] / 2, box[1] + box[3] / 2];

describe('a scanned page', () => {
  it.each([0, 90, 180, -4])(
    'DI-005 that lies turned by %p degrees is read, with boxes where the words are seen',
    async (degrees) => {
      const page = await recognized(await scannedPdf(degrees), 'pdf');
      expect(page).toMatchObject({ source: 'ocr', images: [expect.anything()] });
      expect(page.ocrConfidence).toBeGreaterThan(0.8);
      const found = page.words.filter((word) => WORDS.includes(word.text));
      expect(found.length).toBeGreaterThanOrEqual(WORDS.length - 2);
      expect(page.text.split('\n')[0]).toBe(LINES[0]);
      for (const word of page.words) expect(page.text.slice(word.from, word.to)).toBe(word.text);
      // The first word stands near the top left corner of the scan: turned with it, it is found there.
      const first = page.words.find((word) => word.text === 'Delivery')!;
      const angle = (degrees * Math.PI) / 180;
      const [dx, dy] = [92 - 300, 68 - 200];
      const [x, y] = middleOf(first.box);
      expect(x * page.width).toBeCloseTo(page.width / 2 + dx * Math.cos(angle) - dy * Math.sin(angle), -1.3);
      expect(y * page.height).toBeCloseTo(page.height / 2 + dx * Math.sin(angle) + dy * Math.cos(angle), -1.3);
    },
  );

  it('with a line of text over it keeps that line, and has its picture read beside it', async () => {
    const pdf = await drawnPdf(
      (drawing) => {
        drawing.image(scan, 0, 0, { width: 600, height: 400 });
        drawing.fontSize(12).text('Copy 7', 500, 380, { lineBreak: false });
      },
      { size: [600, 400] },
    );
    const page = await recognized(pdf, 'pdf');
    expect(page.source).toBe('mixed');
    expect(page.words.filter((word) => word.source === 'text_layer').map((word) => word.text)).toEqual(['Copy', '7']);
    expect(page.text.startsWith(LINES.slice(0, 2).join('\n'))).toBe(true);
    expect(page.text.endsWith('Copy 7')).toBe(true);
  });

  it('is refused for a language of which no model is installed, which names those that are', async () => {
    const asked = { pageNumber: 1, languages: ['eng', 'tlh'] };
    const { failure } = await folder.reader.recognize(folder.put(scan), 'png', asked);
    expect(failure).toMatchObject({
      kind: 'unsupported',
      message: expect.stringMatching(/tlh.*installed here: .*eng/),
    });
  });
});

describe('pictures', () => {
  const made: [Format, string, () => Promise<Buffer>][] = [
    ['png', 'image/png', () => Promise.resolve(scan)],
    ['jpeg', 'image/jpeg', () => sharp(scan).jpeg().toBuffer()],
    ['tiff', 'image/tiff', () => sharp(scan).tiff().toBuffer()],
    ['webp', 'image/webp', () => sharp(scan).webp().toBuffer()],
    ['bmp', 'image/bmp', () => bitmap(scan)],
  ];

  it.each(made)('DI-005 %s: a page of its pixels, which is drawn and read', async (format, contentType, make) => {
    const file = folder.put(await make());
    const { items } = await folder.reader.inspect(file, format);
    expect(items).toEqual([{ kind: 'image', contentType, pageCount: 1, warnings: [] }]);
    const drawn = await folder.reader.render(file, format, { pageNumber: 1, dpi: 100 });
    expect(drawn.items).toMatchObject([{ width: 834, height: 556 }]);
    const page = await recognized(await make(), format);
    expect(page).toMatchObject({ unit: 'px', width: 1667, height: 1111, source: 'ocr' });
    expect(page.text).toContain(LINES[1]);
  });

  it('are read as they are displayed: what a camera says of how it was held counts', async () => {
    const held = await sharp(scan).rotate(90).withMetadata({ orientation: 8 }).jpeg().toBuffer();
    const page = await recognized(held, 'jpeg');
    expect(page).toMatchObject({ width: 1667, height: 1111, rotation: 270 });
    expect(page.text).toContain(LINES[0]);
  });

  it('what is cut off is broken', async () => {
    const { failure, items } = await folder.reader.recognize(folder.put(scan.subarray(0, 5000)), 'png', {
      pageNumber: 1,
      languages: ['eng'],
    });
    expect(items).toEqual([]);
    expect(failure?.kind).toBe('broken');
  });
});

/** A BMP of 24 bits for each pixel, the lowest row first. */
async function bitmap(picture: Buffer): Promise<Buffer> {
  const { data, info } = await sharp(picture)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const row = Math.ceil((info.width * 3) / 4) * 4;
  const file = Buffer.alloc(54 + row * info.height);
  file.write('BM', 'latin1');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(info.width, 18);
  file.writeInt32LE(info.height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  for (let y = 0; y < info.height; y += 1)
    for (let x = 0; x < info.width; x += 1)
      for (let channel = 0; channel < 3; channel += 1)
        file[54 + (info.height - 1 - y) * row + x * 3 + channel] =
          data[(y * info.width + x) * info.channels + 2 - channel] ?? 0;
  return file;
}
