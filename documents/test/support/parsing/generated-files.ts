import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';

export type Drawing = InstanceType<typeof PDFDocument>;

/** A PDF as somebody draws it, in points from the top left; the same calls give the same bytes. */
export function drawnPdf(
  draw: (drawing: Drawing) => void,
  options: ConstructorParameters<typeof PDFDocument>[0] = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const drawing = new PDFDocument({ size: [600, 800], margin: 0, info: { CreationDate: new Date(0) }, ...options });
    const chunks: Buffer[] = [];
    drawing.on('data', (chunk: Buffer) => chunks.push(chunk));
    drawing.on('error', reject);
    drawing.on('end', () => {
      resolve(Buffer.concat(chunks));
    });
    draw(drawing);
    drawing.end();
  });
}

export interface RawStream {
  dictionary: string;
  data: Buffer;
}

/** A PDF of objects as they are given, the first of which is the catalog, numbered from 1. */
export function rawPdf(objects: readonly (string | RawStream)[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let size = parts[0]?.length ?? 0;
  const add = (bytes: Buffer): void => {
    parts.push(bytes);
    size += bytes.length;
  };
  objects.forEach((object, index) => {
    offsets.push(size);
    const head = `${String(index + 1)} 0 obj\n`;
    if (typeof object === 'string') add(Buffer.from(`${head}${object}\nendobj\n`));
    else {
      add(Buffer.from(`${head}<< ${object.dictionary} /Length ${String(object.data.length)} >>\nstream\n`));
      add(object.data);
      add(Buffer.from('\nendstream\nendobj\n'));
    }
  });
  const start = size;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const count = String(objects.length + 1);
  add(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${String(start)}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';

/** A PDF of one page whose content and further objects (from number 5 on) are given. */
export function onePage(content: RawStream, resources = '', others: readonly (string | RawStream)[] = []): Buffer {
  const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << ${resources} >> >>`;
  return rawPdf([CATALOG, '<< /Type /Pages /Kids [3 0 R] /Count 1 >>', page, content, ...others]);
}

export function pdfOfPages(count: number): Buffer {
  const kids = Array.from({ length: count }, (_, index) => `${String(index + 3)} 0 R`).join(' ');
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >>';
  return rawPdf([
    CATALOG,
    `<< /Type /Pages /Kids [${kids}] /Count ${String(count)} >>`,
    ...new Array<string>(count).fill(page),
  ]);
}

const BLOCK = Buffer.alloc(1024 * 1024);
/** First bytes of a stream of zlib, and an empty block that ends it. */
const [BEGIN, END] = [Buffer.from([0x78, 0x9c]), Buffer.from([0x03, 0x00])];

/** Zeros, packed so many times. Flushed blocks may stand beside each other: it is enough to pack one. */
export function packedZeros(bytes: number, layers = 1): Buffer {
  const block = (zeros: Buffer): Buffer => deflateRawSync(zeros, { finishFlush: constants.Z_FULL_FLUSH });
  const whole = new Array<Buffer>(Math.floor(bytes / BLOCK.length)).fill(block(BLOCK));
  // Adler-32 of zeros: the one sum stays as it began, the other counts them.
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE((bytes % 65_521) * 65_536 + 1);
  let data = Buffer.concat([BEGIN, ...whole, block(BLOCK.subarray(0, bytes % BLOCK.length)), END, sum]);
  for (let layer = 1; layer < layers; layer += 1) data = deflateSync(data);
  return data;
}

/** A PNG that states its size and holds next to nothing. */
export function pngOfSize(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(4);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    ends.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, ends]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(1000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A TIFF of so many frames of one black pixel each. */
export function tiffOfFrames(frames: number): Buffer {
  const entries: [tag: number, type: number, value: number][] = [
    [256, 3, 1],
    [257, 3, 1],
    [258, 3, 8],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, 8],
    [277, 3, 1],
    [278, 3, 1],
    [279, 4, 1],
  ];
  const frameBytes = 2 + entries.length * 12 + 4;
  const file = Buffer.alloc(10 + frames * frameBytes);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(10, 4);
  for (let frame = 0; frame < frames; frame += 1) {
    const start = 10 + frame * frameBytes;
    file.writeUInt16LE(entries.length, start);
    entries.forEach(([tag, type, value], index) => {
      const at = start + 2 + index * 12;
      file.writeUInt16LE(tag, at);
      file.writeUInt16LE(type, at + 2);
      file.writeUInt32LE(1, at + 4);
      if (type === 3) file.writeUInt16LE(value, at + 8);
      else file.writeUInt32LE(value, at + 8);
    });
    file.writeUInt32LE(frame + 1 < frames ? start + frameBytes : 0, start + frameBytes - 4);
  }
  return file;
}
