import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../../../src/domain/json.js';
import { drawnReading } from '../../../../../test/support/extraction/drawn-reading.js';
import { compileSchema } from '../../../schemas/compile-schema.js';
import { extractDocument } from '../../extract-document.js';
import type { ExtractedDocument } from '../../model/extraction-result.js';

const LINES: JsonObject = {
  type: 'array',
  description: 'What is charged',
  items: {
    type: 'object',
    properties: {
      code: { type: 'string', description: 'Article code' },
      name: { type: 'string', description: 'Text of the line' },
      quantity: { type: 'number', description: 'Quantity' },
      unit_price: { type: 'number', description: 'Price of one unit' },
      amount: { type: 'number', description: 'Amount of the line' },
    },
  },
};

function linesOf(page: string): ExtractedDocument {
  return extractDocument(compileSchema({ type: 'object', properties: { lines: LINES } }), drawnReading(page));
}

const BILL = `
   Green Fields Services

   Detail
     Storage of goods                                    12.50
       Charges                                           12.50
       VAT                                                0.00
     Transport to the harbour                            30.00
       Charges                                           30.00
       VAT                                                0.00
     Cleaning                                             7.50
       Charges                                            7.50
       VAT                                                0.00

   Total for this bill                                   @
`;

describe('lines without a header', () => {
  it('are rows where what they come to is printed as a sum; what is further in is no row of its own', () => {
    const { data, completeness, fields } = linesOf(BILL.replace('@', '50.00'));
    const none = { code: null, quantity: null, unit_price: null };
    expect(data['lines']).toEqual([
      { ...none, name: 'Storage of goods', amount: 12.5 },
      { ...none, name: 'Transport to the harbour', amount: 30 },
      { ...none, name: 'Cleaning', amount: 7.5 },
    ]);
    expect(completeness).toMatchObject([{ returnedRows: 3, expectedRows: 3, complete: true }]);
    expect(fields['/lines/1/amount']).toMatchObject({ raw: '30.00', citations: [{ excerpt: '30.00' }] });
  });

  it('make a list incomplete where no sum confirms that they are its rows', () => {
    const { data, completeness, warnings } = linesOf(BILL.replace('@', '99.00'));
    expect(data['lines']).toEqual([]);
    expect(completeness).toMatchObject([
      { path: '/lines', returnedRows: 0, expectedRows: 3, method: 'table_rows', complete: false },
    ]);
    expect(warnings).toMatchObject([{ code: 'rows_missing' }]);
  });
});

describe('a list of which no row was read', () => {
  it('is incomplete where a header names what an item has, over lines of as many texts', () => {
    const page = `
   Article code        Colour        Weight        Unit price
   X-100               red           4 kg               12.10
   X-200               green         9 kg               31.00
   X-300               blue          7 kg               14.95
`;
    expect(linesOf(page).completeness).toMatchObject([{ returnedRows: 0, expectedRows: 3, complete: false }]);
  });

  it('is incomplete where the document counts its items', () => {
    const page = `
   Delivery 4711

   Number of lines: 12

   All goods were handed over in sound condition.
`;
    expect(linesOf(page).completeness).toMatchObject([
      { returnedRows: 0, expectedRows: 12, method: 'stated_total', complete: false },
    ]);
  });

  it.each([
    ['prose', '\n   We thank you for your order of 12 March and\n   look forward to seeing you again.\n'],
    ['a form that is not filled in', '\n   Article code        Quantity        Unit price        Amount\n\n   Total\n'],
    [
      'sums alone',
      '\n   Subtotal                          40.00\n   VAT 20%                            8.00\n   Total      48.00\n',
    ],
  ])('is complete where nothing shows that there are any: %s', (_, page) => {
    expect(linesOf(page).completeness).toMatchObject([{ returnedRows: 0, expectedRows: null, complete: true }]);
  });
});

describe('rows that cannot be read', () => {
  const row = (text: string, count: number): string =>
    `   X-${count}               ${text}        ${count}         3.10          ${(count * 3.1).toFixed(2)}\n`;
  const blurred = `   ~*_|;               ;:*~ _:^       ~;        :*_^          ;^~_\n`;
  const header = '   Article code        Text            Quantity  Unit price    Amount\n';
  const rows = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, at) => row('hinges ', from + at)).join('');

  it.each([
    ['between others', `${header}${rows(11, 19)}${blurred.repeat(7)}${rows(26, 30)}`, 12, 19],
    ['behind the last one', `${header}${rows(11, 19)}${blurred.repeat(3)}`, 8, 11],
  ])('make a list incomplete and do not end it: %s', (_, page, returnedRows, expectedRows) => {
    expect(linesOf(page).completeness).toMatchObject([{ returnedRows, expectedRows, complete: false }]);
  });
});
