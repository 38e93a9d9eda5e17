import { rasterDpi } from '../../../../domain/layout/turned-picture.js';
import type { PageRequest, RenderedPage } from '../../page-requests.js';
import { refusal, serve } from '../serve.js';
import { inspectPdf } from './inspect-pdf.js';
import { documentInside, parsePdf, type PdfSource, renderPdf } from './open-pdf.js';
import { readPages } from './read-pages.js';
import { recognizePage } from './recognize-page.js';

await serve<PageRequest>(async (request, emit) => {
  const source = documentInside(request.password);
  switch (request.do) {
    case 'inspect':
      emit(await inspectPdf(source));
      return;
    case 'read':
      await readPages(source, request, emit);
      return;
    case 'recognize':
      emit(await recognizePage(source, request.pageNumber, request.languages));
      return;
    case 'render':
      emit(await render(source, request.pageNumber, request.dpi));
      return;
  }
});

/** Large pages are drawn smaller, never refused. */
async function render(source: PdfSource, pageNumber: number, dpi: number): Promise<RenderedPage> {
  const { pages } = await parsePdf(source, String(pageNumber), {});
  const page = pages[0];
  if (page === undefined) throw refusal('broken', `the document has no page ${String(pageNumber)} that can be drawn`);
  const shot = await renderPdf(source, pageNumber, rasterDpi(page, dpi));
  return { pageNumber, width: shot.width, height: shot.height, png: shot.imageBuffer.toString('base64') };
}
