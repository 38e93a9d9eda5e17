import sharp from 'sharp';
import { DocumentFolder } from '../parsing/document-folder.js';
import { drawnPdf } from '../parsing/generated-files.js';
import { INVOICE, invoicePdf } from './invoice-pdf.js';

const RECEIPT = [
  'CORNER BAKERY LTD',
  '12 Quay Street, Harwich',
  '',
  'Date: 05/03/2024   09:41',
  'Receipt no: 004417',
  '',
  'Rye bread            3.20',
  'Coffee               2.80',
  'Apple cake           4.50',
  '',
  'Total EUR           10.50',
  'Cash                20.00',
  'Change               9.50',
];
const DPI = 150;

/** The samples that are drawn, by the names that they have in documents/samples. */
export async function drawSamples(): Promise<Record<string, Buffer>> {
  const lines = INVOICE.lines.map((line) => ({ ...line, description: line.description.replace('=', '') }));
  return { 'invoice.pdf': await invoicePdf({ ...INVOICE, lines }), 'receipt.png': await scannedReceipt() };
}

/** What a scanner makes of a receipt that lies a little askew: a picture without any text. */
async function scannedReceipt(): Promise<Buffer> {
  using folder = new DocumentFolder();
  const drawn = await drawnPdf(
    (drawing) => {
      drawing.font('Courier').fontSize(14);
      RECEIPT.forEach((line, at) => drawing.text(line, 40, 40 + at * 24, { lineBreak: false }));
    },
    { size: [320, 400] },
  );
  const { items } = await folder.reader.render(folder.put(drawn), 'pdf', { pageNumber: 1, dpi: DPI });
  const page = Buffer.from(items[0]?.png ?? '', 'base64');
  return sharp(page).rotate(0.6, { background: '#fff' }).greyscale().blur(0.6).png({ compressionLevel: 9 }).toBuffer();
}
