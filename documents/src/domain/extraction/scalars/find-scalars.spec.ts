import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../../src/domain/json.js';
import { drawnReading } from '../../../../test/support/extraction/drawn-reading.js';
import { normalizeSchema } from '../../schemas/normal-schema.js';
import { extractDocument } from '../extract-document.js';
import { NORMALIZERS } from '../values/normalizers.js';

const text = (description: string): JsonObject => ({ type: 'string', description });
const extract = (properties: JsonObject, page: string): ReturnType<typeof extractDocument> =>
  extractDocument({ root: normalizeSchema({ type: 'object', properties }) }, drawnReading(page));

const BILL = `
Green & Field Ltd

Invoice No: GF-20417        Invoice date: 12/03/2024
Order date: 01/03/2024      Due date: 26/03/2024

Subtotal                    100.00
VAT 20%                      20.00
Total                       120.00
`;
const FIELDS = {
  number: text('Number of the invoice.'),
  issued: { type: 'string', format: 'date', description: 'Date of issue.' },
  due: { type: 'string', format: 'date', description: 'Date by which payment is due.' },
  net: { type: 'number', description: 'Amount before tax.' },
  tax: { type: 'number', description: 'Amount of tax.' },
  total: { type: 'number', description: 'Total amount to pay.' },
  iban: text('Bank account as IBAN.'),
};

describe('single values', () => {
  it('are those that their labels name, each from words of its own', () => {
    expect(extract(FIELDS, BILL).data).toEqual({
      ...{ number: 'GF-20417', issued: '2024-03-12', due: '2024-03-26', net: 100, tax: 20, total: 120, iban: null },
    });
  });

  it('follow from what is cited, and are null with a confidence where there are none', () => {
    const { data, fields } = extract(FIELDS, BILL);
    const root = normalizeSchema({ type: 'object', properties: FIELDS });
    for (const { name, node } of root.properties) {
      const field = fields[`/${name}`];
      expect(field?.confidence).toBeGreaterThan(0);
      if (data[name] === null || field?.normalizedBy === undefined || node.kind !== 'scalar') continue;
      expect(NORMALIZERS[field.normalizedBy](field.raw ?? '', node)).toBe(data[name]);
      expect(field.citations[0]?.excerpt).toContain(field.raw);
    }
    expect(fields['/iban']).toMatchObject({ raw: null, citations: [] });
  });

  it('are found by what a description quotes as printed, and not by its examples', () => {
    const asked = { a: text('Shown as "Zeichen", e.g. "Total".') };
    expect(extract(asked, 'Zeichen: AB-77\n\nTotal: 120.00').data).toEqual({ a: 'AB-77' });
  });

  it('stand behind the mark of their label, not in the next field below it', () => {
    const asked = { pilot: text('Name of the pilot.'), draught: { type: 'number', description: 'Draught in metres.' } };
    expect(extract(asked, 'Pilot: Jansen\nDraught: 4.5').data).toEqual({ pilot: 'Jansen', draught: 4.5 });
    expect(extract(asked, 'Pilot:\nJansen\nDraught: 4.5').data).toEqual({ pilot: 'Jansen', draught: 4.5 });
  });

  it('are written as the description wants dates', () => {
    const asked = { due: text('Due date. Return in YYYY-MM-DD format.'), issued: text('Date of issue, as printed.') };
    expect(extract(asked, BILL).data).toEqual({ due: '2024-03-26', issued: '12/03/2024' });
  });

  it('have as title what stands out, not the names at the head of every other page', () => {
    const head = 'Berg, Frost and Hale\n';
    const first = `${head}\n\n\n\n\n\n\n\n##Snow on the Roofs of Barns\n\nWe measure how snow lies on roofs.\n`;
    const properties = { title: text('The full title of the paper.') };
    const root = normalizeSchema({ type: 'object', properties });
    const reading = drawnReading(first, 'Snow on the Roofs of Barns\n\nIt lies long.\n', `${head}\n\nIt melts.\n`);
    expect(extractDocument({ root }, reading).data).toEqual({ title: 'Snow on the Roofs of Barns' });
  });
});
