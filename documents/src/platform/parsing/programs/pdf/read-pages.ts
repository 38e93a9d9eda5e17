import type { ExtractedImage, ParsedPage, ParseResult } from '@llamaindex/liteparse';
import { mayNeedOcr, ocrNeed, type OcrNeed } from '../../../../domain/layout/ocr-need.js';
import type { Box, Page } from '../../../../domain/page-model.js';
import type { LostPage, ReadPage } from '../../page-requests.js';
import { findTables } from '../../../../domain/tables/find-tables.js';
import { type PdfSource, parsePdf } from './open-pdf.js';
import { pageRotations } from './poppler.js';
import { pdfPage } from './pdf-page.js';
import { boxOf } from './pdf-runs.js';

/**
 * So many pages are read at once, so that what the reader holds of them (pictures above all) stays small: of a document of which nothing is known,
 * at the beginning of a call, whose pages may be heavier than those before, and at most.
 */
const PART = { unknown: 2, beginning: 8, most: 16 };
/** Of pages whose rotations are asked for before they are read. */
const AHEAD = 500;
/** A part is as large as is read in this time: the caller waits for a page for seconds only. */
const PART_MS = 1500;

/** What PDFium says of a document without a form; looking for its fields takes as long as opening it. */
const NO_FORM = 0;

/** How many pages are read in {@link PART_MS}, as far as that is known. */
let size = PART.unknown;

/** False once a part of the document said that there is none. */
let mayHaveForm = true;

/** The first pages of the next call, on which the reader works while this one is answered and the next one is on its way. */
let begun: BegunPart | null = null;

/**
 * Reads pages in order, each with its tables, and hands each over as soon as it is made.
 * @param isMoreToCome pages after `to` are likely to be asked for next
 */
export async function readPages(
  source: PdfSource,
  { from, to, isMoreToCome = false }: { from: number; to: number; isMoreToCome?: boolean },
  emit: (page: ReadPage | LostPage) => void,
): Promise<void> {
  const rotations = pageRotations(source, from, to, AHEAD);
  const expected = begun?.first === from && begun.last <= to ? begun : null;
  begun = null;
  let coming = expected?.part ?? timed(beginPart(source, from, to, PART.beginning));
  for (let next = from; next <= to;) {
    const part = await coming;
    next = part.last + 1;
    // The reader works on the next pages, on its own thread, while words and tables of these are put together.
    if (next <= to) coming = timed(beginPart(source, next, to));
    else if (isMoreToCome) begun = beginPart(source, next, Infinity, PART.beginning);
    const turned = await rotations;
    for (const answer of pagesOf(part, turned)) emit('failure' in answer ? answer : withTables(answer));
  }
}

interface BegunPart {
  first: number;
  last: number;
  part: Promise<ParsedPart>;
}

function beginPart(source: PdfSource, first: number, to: number, most = PART.most): BegunPart {
  const last = Math.min(to, first + Math.min(most, size) - 1);
  const part = parsePart(source, first, last);
  // Whoever awaits it is told; it may also fail before that, or with nobody who asks for it.
  part.catch(() => undefined);
  return { first, last, part };
}

/** Learns from a part how many pages the next one may have. One that waits to be asked for would tell how long it waited. */
function timed({ first, last, part }: BegunPart): Promise<ParsedPart> {
  const started = performance.now();
  const learn = (): void => {
    const perPage = (performance.now() - started) / (last - first + 1);
    size = Math.max(1, Math.min(PART.most, Math.floor(PART_MS / perPage)));
  };
  part.then(learn, () => undefined);
  return part;
}

/** A page and how much of it pictures must be read for. */
interface SeenPage extends ReadPage {
  need: OcrNeed;
}

const withTables = ({ page, needsOcr }: SeenPage): ReadPage => ({
  page: { ...page, tables: findTables(page) },
  needsOcr,
});

/** One page without its tables. */
export async function seePage(source: PdfSource, pageNumber: number): Promise<SeenPage | LostPage> {
  const rotations = pageRotations(source, pageNumber, pageNumber);
  const part = await parsePart(source, pageNumber, pageNumber);
  const [seen] = pagesOf(part, await rotations);
  return seen ?? { pageNumber, failure: { kind: 'broken', message: 'the page is not there' } };
}

/** Pages as the reader gives them. */
interface ParsedPart {
  first: number;
  last: number;
  result: ParseResult;
  /** Those that one picture covers whole. */
  scanned: ReadonlySet<number>;
}

async function parsePart(source: PdfSource, first: number, last: number): Promise<ParsedPart> {
  const result = await parsePdf(source, `${String(first)}-${String(last)}`, {
    emitWordBoxes: true,
    extractVectorGraphics: true,
    extractFormFields: mayHaveForm,
    extractImages: true,
  });
  mayHaveForm &&= result.formType !== NO_FORM;
  return { first, last, result, scanned: await findScans(source, result) };
}

function* pagesOf(
  { first, last, result, scanned }: ParsedPart,
  turned: ReadonlyMap<number, Page['rotation']>,
): Generator<SeenPage | LostPage> {
  const pages = new Map(result.pages.map((page) => [page.pageNum, page]));
  for (let pageNumber = first; pageNumber <= last; pageNumber += 1) {
    const parsed = pages.get(pageNumber);
    if (parsed === undefined) yield lost(result, pageNumber);
    else {
      const images = [
        ...result.images.filter((image) => image.page === pageNumber).map((image: ExtractedImage) => boxOf(image.bbox)),
        ...(scanned.has(pageNumber) ? [[0, 0, parsed.width, parsed.height] as const] : []),
      ];
      yield see(parsed, images, turned.get(pageNumber) ?? 0);
    }
  }
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
