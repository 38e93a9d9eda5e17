import type { Inspection, Warning } from '../../../../domain/page-model.js';
import { overLimit, refusal } from '../serve.js';
import { parsePdf, type PdfSource } from './open-pdf.js';
import type { PdfMark } from './pdf-syntax.js';
import { embeddedFileNames } from './poppler.js';
import { scanPdf } from './scan-pdf.js';

const MAX_PAGES = 20_000;
/** Names under which invoices carry themselves as data. */
const INVOICE_NAMES = /^(factur-x|zugferd-invoice|xrechnung|order-x|cii|ubl)[^/]*\.xml$/i;
const MAX_NAMES = 20;

const IGNORED: Readonly<Record<Exclude<PdfMark, 'embedded'>, Warning>> = {
  script: { code: 'scripts_ignored', message: 'the PDF contains scripts; they were not run' },
  launch: { code: 'launch_ignored', message: 'the PDF asks to start a program; that was ignored' },
  remote: { code: 'remote_actions_ignored', message: 'the PDF asks to open or send to other places; that was ignored' },
  xfa: { code: 'xfa_ignored', message: 'the PDF contains an XFA form; what only that form shows was not read' },
};

/** What a PDF is: pages, and what it carries that is not read. Refuses one that is over a limit before a reader opens it. */
export async function inspectPdf(source: PdfSource): Promise<Inspection> {
  const { marks } = await scanPdf(source.path);
  const { totalPages } = await parsePdf(source, '1', {});
  if (totalPages > MAX_PAGES)
    throw overLimit('pages', `the PDF has ${String(totalPages)} pages; at most 20,000 are read`);
  if (totalPages < 1) throw refusal('broken', 'the PDF has no page');
  const ignored = Object.entries(IGNORED).flatMap(([mark, warning]) => (marks.has(mark as PdfMark) ? [warning] : []));
  const embedded = marks.has('embedded') ? warningsOfEmbedded(await embeddedFileNames(source)) : [];
  return { kind: 'pdf', contentType: 'application/pdf', pageCount: totalPages, warnings: [...ignored, ...embedded] };
}

function warningsOfEmbedded(names: readonly string[]): Warning[] {
  if (names.length === 0) return [];
  const invoices = names.filter((name) => INVOICE_NAMES.test(name));
  const listed = (some: readonly string[]): string =>
    some
      .slice(0, MAX_NAMES)
      .map((name) => JSON.stringify(name.slice(0, 255)))
      .join(', ') + (some.length > MAX_NAMES ? ', …' : '');
  return [
    {
      code: 'embedded_files',
      message: `the PDF carries ${String(names.length)} file(s), which were not opened: ${listed(names)}`,
    },
    ...(invoices.length === 0
      ? []
      : [{ code: 'hybrid_invoice', message: `the PDF carries its invoice as data too: ${listed(invoices)}` }]),
  ];
}
