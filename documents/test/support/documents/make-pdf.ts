import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';

/** A PDF with one page of text for each list of lines. */
export function makePdf(
  pages: readonly (readonly string[])[],
  options: { userPassword?: string } = {},
): Promise<Buffer> {
  const document = new PDFDocument({ size: 'A4', margin: 50, autoFirstPage: false, ...options });
  for (const lines of pages) {
    document.addPage().fontSize(11);
    for (const line of lines) document.text(line);
  }
  const bytes = buffer(document);
  document.end();
  return bytes;
}
