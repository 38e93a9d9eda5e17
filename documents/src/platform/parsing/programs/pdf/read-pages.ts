import type { ExtractedImage, ParsedPage, ParseResult } from '@llamaindex/liteparse';
import { mayNeedOcr, ocrNeed, type OcrNeed } from '../../../../domain/layout/ocr-need.js';
import type { Box, Page } from '../../../../domain/page-model.js';
import type { LostPage, ReadPage } from '../../page-requests.js';
import { findTables } from '../../../../domain/tables/find-tables.js';
import { type PdfSource, parsePdf } from './open-pdf.js';
import { pageRotations } from './poppler.js';
import { pdfPage } from './pdf-page.js';
import { boxOf } from './pdf-runs.js';

/** So many pages are read at once at first and at most, so that what the reader holds of them (pictures above all) stays small. */
const PART = { first: 2, most: 16 };
/** A part is as large as is read in this time: the caller waits for a page for seconds only. */
const PART_MS = 1500;

/** Reads pages in order, each with its tables, and hands each over as soon as it is made. */
export async function readPages(
  source: PdfSource,
  from: number,
  to: number,
  emit: (page: ReadPage | LostPage) => void,
): Promise<void> {
  const rotations = pageRotations(source, from, to);
  let size = PART.first;
  const see = async (first: number): Promise<{ seen: (SeenPage | LostPage)[]; next: number }> => {
    const started = performance.now();
    const next = Math.min(to + 1, first + size);
    const seen = await seePages(source, first, next - 1, rotations);
    const perPage = (performance.now() - started) / seen.length;
    size = Math.max(1, Math.min(PART.most, Math.floor(PART_MS / perPage)));
    return { seen, next };
  };
  for (let coming = see(from), next = from; next <= to;) {
    const part = await coming;
    next = part.next;
    // The reader works on the next pages while the tables of these are looked for.
    if (next <= to) coming = see(next);
    for (const answer of part.seen) emit('failure' in answer ? answer : withTables(answer));
  }
}

/** A page and how much of it pictures must be read for. */
interface SeenPage extends ReadPage {
  need: OcrNeed;
}

const withTables = ({ page, needsOcr }: SeenPage): ReadPage => ({
  page: { ...page, tables: findTables(page) },
  needsOcr,
});

/** Pages without their tables. */
export async function seePages(
  source: PdfSource,
  first: number,
  last: number,
  rotations: Promise<ReadonlyMap<number, Page['rotation']>>,
): Promise<(SeenPage | LostPage)[]> {
  const result = await parsePdf(source, `${String(first)}-${String(last)}`, {
    emitWordBoxes: true,
    extractVectorGraphics: true,
    extractFormFields: true,
    extractImages: true,
  });
  const pages = new Map(result.pages.map((page) => [page.pageNum, page]));
  const scanned = await findScans(source, result);
  const turned = await rotations;
  const answers: (SeenPage | LostPage)[] = [];
  for (let pageNumber = first; pageNumber <= last; pageNumber += 1) {
    const parsed = pages.get(pageNumber);
    if (parsed === undefined) answers.push(lost(result, pageNumber));
    else {
      const images = [
        ...result.images.filter((image) => image.page === pageNumber).map((image: ExtractedImage) => boxOf(image.bbox)),
        ...(scanned.has(pageNumber) ? [[0, 0, parsed.width, parsed.height] as const] : []),
      ];
      answers.push(see(parsed, images, turned.get(pageNumber) ?? 0));
    }
  }
  return answers;
}

function see(parsed: ParsedPage, images: readonly Box[], rotation: Page['rotation']): SeenPage {
  const page = pdfPage({ parsed, rotation, images });
  const imageCoverage = Math.min(
    1,
    page.images.reduce((sum, box) => sum + box[2] * box[3], 0),
  );
  const drawn = (parsed.vectorGraphics?.shapes.length ?? 0) > 0;
  const need = ocrNeed({ text: page.text, imageCoverage, drawn });
  return { page, needsOcr: need !== 'none', need };
}

/** Pages that one picture covers whole: the reader leaves such pictures out of its list, and is asked again for pages with little text. */
async function findScans(source: PdfSource, result: ParseResult): Promise<ReadonlySet<number>> {
  const doubtful = result.pages.filter((page) => mayNeedOcr(page.textItems.map((item) => item.text).join(' ')));
  if (doubtful.length === 0) return new Set();
  const again = await parsePdf(source, doubtful.map((page) => String(page.pageNum)).join(','), {
    includeComplexity: true,
  });
  return new Set(again.pages.filter((page) => page.complexity?.fullPageImage === true).map((page) => page.pageNum));
}

function lost(result: ParseResult, pageNumber: number): LostPage {
  const said = result.pageErrors.find((error) => error.pageNum === pageNumber)?.message;
  return {
    pageNumber,
    failure: {
      kind: 'broken',
      message: `page ${String(pageNumber)} could not be read: ${said ?? 'it is not in the document'}`,
    },
  };
}
