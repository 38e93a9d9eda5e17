import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';

/**
 * A PDF with one page of text for each list of lines; encrypted with a password, or with bytes in it of which no page knows, if it is to
 * be.
 */
export function makePdf(
  pages: readonly (readonly string[])[],
  {
    userPassword,
    unusedBytes,
    isPacked = true,
  }: { userPassword?: string; unusedBytes?: number; isPacked?: boolean } = {},
): Promise<Buffer> {
  const password = userPassword === undefined ? {} : { userPassword };
  const document = new PDFDocument({
    ...{ size: 'A4', margin: 50, autoFirstPage: false, compress: isPacked },
    ...password,
  });
  // Has the filters that it names, which are none: to compress what is random takes seconds.
  if (unusedBytes !== undefined) document.ref({ Filter: [] }).end(randomBytes(unusedBytes));
  for (const lines of pages) {
    document.addPage().fontSize(11);
    for (const line of lines) document.text(line);
  }
  const bytes = buffer(document);
  document.end();
  return bytes;
}
