import { PIXELS_TO_READ, rasterDpi, RASTER_LIMITS } from '../../../../domain/layout/turned-picture.js';
import type { GreyPicture } from '../../../../domain/layout/deskew.js';
import type { TextRun } from '../../../../domain/layout/text-run.js';
import type { Box, Page } from '../../../../domain/page-model.js';
import { findTables } from '../../../../domain/tables/find-tables.js';
import type { LostPage, ReadPage } from '../../page-requests.js';
import { loadSharp } from '../recognition/load-sharp.js';
import { greyPicture, readPicture } from '../recognition/read-picture.js';
import { mixedPage, recognizedPage } from '../recognition/recognized-page.js';
import { requireLanguages } from '../recognition/tesseract.js';
import { type PdfSource, renderPdf } from './open-pdf.js';
import { seePage } from './read-pages.js';

/** Reads one page with its pictures. A page that does not need it comes back as its text layer says it. */
export async function recognizePage(
  source: PdfSource,
  pageNumber: number,
  languages: readonly string[],
): Promise<ReadPage | LostPage> {
  await requireLanguages(languages);
  const seen = await seePage(source, pageNumber);
  if ('failure' in seen) return seen;
  const { page, need } = seen;
  if (need === 'none') return { page: { ...page, tables: findTables(page) }, needsOcr: false };
  const dpi = rasterDpi(page, RASTER_LIMITS.dpi, PIXELS_TO_READ);
  const shot = await renderPdf(source, pageNumber, dpi);
  const sharp = await loadSharp();
  const whole = await greyPicture(sharp(shot.imageBuffer, { limitInputPixels: 2 * RASTER_LIMITS.pixels }));
  const picture = need === 'regions' ? onlyInside(whole, page.images) : whole;
  const reading = await readPicture(picture, languages, dpi);
  if (need === 'page') return { page: recognizedPage(page, reading, picture), needsOcr: false };
  return { page: mixedPage(page, layerOf(page), reading, picture), needsOcr: false };
}

/** White everywhere but where pictures are. */
function onlyInside(picture: GreyPicture, boxes: readonly Box[]): GreyPicture {
  const { width, height } = picture;
  const pixels = new Uint8Array(width * height).fill(255);
  for (const [x, y, w, h] of boxes) {
    const [left, far] = [Math.floor(x * width), Math.ceil((x + w) * width)];
    for (let row = Math.floor(y * height); row < Math.min(height, Math.ceil((y + h) * height)); row += 1)
      pixels.set(picture.pixels.subarray(row * width + left, row * width + Math.min(width, far)), row * width + left);
  }
  return { width, height, pixels };
}

/** The words that a page has already, as runs in points: one for each line. */
function layerOf(page: Page): TextRun[] {
  const inPoints = ([x, y, w, h]: Box): Box => [x * page.width, y * page.height, w * page.width, h * page.height];
  return page.lines.map((line) => ({
    box: inPoints(line.box),
    words: page.words
      .slice(line.first, line.last + 1)
      .map(({ from: _from, to: _to, ...word }) => ({ ...word, box: inPoints(word.box) })),
    upright: true,
  }));
}
