import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';

/** A PDF with one page of text for each list of lines; encrypted with a password, or with a file in it, if it is to be. */
export function makePdf(
  pages: readonly (readonly string[])[],
  { userPassword, attachedBytes }: { userPassword?: string; attachedBytes?: number } = {},
): Promise<Buffer> {
  const password = userPassword === undefined ? {} : { userPassword };
  const document = new PDFDocument({ size: 'A4', margin: 50, autoFirstPage: false, ...password });
  if (attachedBytes !== undefined) document.file(randomBytes(attachedBytes), { name: 'attached' });
  for (const lines of pages) {
    document.addPage().fontSize(11);
    for (const line of lines) document.text(line);
  }
  const bytes = buffer(document);
  document.end();
  return bytes;
}
