import { drawnPdf } from '../parsing/generated-files.js';

/** What an invoice says. */
export interface InvoiceLine {
  description: string;
  quantity: number;
  price: string;
  amount: string;
}

export interface DrawnInvoice {
  vendor: string;
  number: string;
  date: string;
  total: string;
  lines: readonly InvoiceLine[];
}

/** The words that describe what {@link invoicePdf} draws. */
export const INVOICE_WORDS =
  'invoice number, invoice date, total in EUR, line items with description, quantity, unit price, amount';

export const INVOICE: DrawnInvoice = {
  ...{ vendor: 'Harbour Chandlery Ltd', number: 'HC-2024-0117', date: '2024-03-04', total: '1,234.50' },
  lines: [
    { description: 'Mooring rope', quantity: 4, price: '120.00', amount: '480.00' },
    { description: 'Fender', quantity: 10, price: '65.45', amount: '654.50' },
    { description: '=Anchor shackle', quantity: 20, price: '5.00', amount: '100.00' },
  ],
};

const COLUMNS = [50, 300, 380, 480] as const;

/** An invoice of one page: its head on the left, a ruled table, and the total below it. */
export function invoicePdf({ vendor, number, date, total, lines }: DrawnInvoice = INVOICE): Promise<Buffer> {
  return drawnPdf((drawing) => {
    drawing.fontSize(18).text(vendor, 50, 50);
    drawing.fontSize(11).text(`Invoice number: ${number}`, 50, 100).text(`Invoice date: ${date}`, 50, 118);
    let y = 170;
    const row = (cells: readonly string[]): void => {
      cells.forEach((cell, at) => drawing.text(cell, COLUMNS[at] ?? 50, y, { lineBreak: false }));
      drawing
        .moveTo(45, y + 16)
        .lineTo(555, y + 16)
        .stroke();
      y += 22;
    };
    drawing
      .moveTo(45, y - 6)
      .lineTo(555, y - 6)
      .stroke();
    row(['Description', 'Quantity', 'Unit price', 'Amount']);
    for (const line of lines) row([line.description, String(line.quantity), line.price, line.amount]);
    drawing.text('Total EUR:', 380, y + 20, { lineBreak: false }).text(total, 480, y + 20, { lineBreak: false });
  });
}
