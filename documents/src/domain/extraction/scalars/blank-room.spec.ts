import { describe, expect, it } from '@jest/globals';
import { drawnReading } from '../../../../test/support/extraction/drawn-reading.js';
import { normalizeSchema } from '../../schemas/normal-schema.js';
import { extractDocument } from '../extract-document.js';

const ROOT = normalizeSchema({
  type: 'object',
  properties: {
    supplier: { type: 'string', description: 'Name of the supplier.' },
    deliveryDate: { type: 'string', format: 'date', description: 'Date of delivery.' },
    approved: { type: 'boolean', description: 'Whether it is approved.' },
  },
});
const valuesOf = (text: string): object => extractDocument({ root: ROOT }, drawnReading(text)).data;

describe('a form', () => {
  it.each([
    [
      'lines',
      'Supplier: ______________\n\nDelivery date: __________\n\nApproved   o yes   o no\n\nKarlsby, 3 May 2024',
    ],
    ['dots', 'Supplier ..............\n\nDelivery date ..........\n\nApproved [ ] yes [ ] no\n\nKarlsby, 3 May 2024'],
    ['room between labels', 'Supplier: ________ Delivery date: ________\n\nKarlsby, 3 May 2024'],
  ])('that nobody has filled in, with %s, answers nothing', (_what, text) => {
    expect(valuesOf(text)).toEqual({ supplier: null, deliveryDate: null, approved: null });
  });

  it('that is filled in behind dots is read', () => {
    expect(valuesOf('Supplier ........ Bellweather Foods Ltd\n\nDelivery date ....... 4 May 2024')).toMatchObject({
      supplier: 'Bellweather Foods Ltd',
      deliveryDate: '2024-05-04',
    });
  });
});
