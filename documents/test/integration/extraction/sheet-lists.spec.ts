import { afterAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../src/domain/json.js';
import { extractDocument } from '../../../src/domain/extraction/extract-document.js';
import { Reading } from '../../../src/domain/extraction/model/reading.js';
import { compileSchema } from '../../../src/domain/schemas/compile-schema.js';
import { joinedTables } from '../../support/documents/joined-tables.js';
import { DocumentFolder } from '../../support/parsing/document-folder.js';

const folder = new DocumentFolder();
afterAll(() => {
  folder[Symbol.dispose]();
});

const STOCK = {
  type: 'object',
  properties: {
    articles: {
      type: 'array',
      description: 'Articles in stock',
      items: {
        type: 'object',
        properties: {
          code: { type: 'string', description: 'Article number' },
          name: { type: 'string', description: 'Name of the article' },
          stock: { type: 'integer', description: 'Quantity' },
          price: { type: 'number', description: 'Unit price' },
          since: { type: 'string', format: 'date', description: 'Date' },
        },
      },
    },
  },
};

describe('a document that is one sheet', () => {
  it('DI-015 is a list with every row of it, exactly, cited by its cells', async () => {
    const stock = Array.from({ length: 1200 }, (_, at) => ({
      code: String(at + 7).padStart(6, '0'),
      name: `Hinge ${at % 7 === 0 ? 'of steel, galvanized' : 'of brass'}`,
      stock: (at * 13) % 500,
      price: (((at * 37) % 9000) + 50) / 100,
      since: `2024-${String((at % 12) + 1).padStart(2, '0')}-${String((at % 28) + 1).padStart(2, '0')}`,
    }));
    const lines = stock.map(
      ({ code, name, stock: left, price, since }) => `${code};"${name}";${left};${price.toFixed(2)};${since}`,
    );
    const bytes = Buffer.from(`Article no.;Name;Qty;Unit price;Date\n${lines.join('\n')}\n`);
    const pages = await folder.pages(bytes, 1, 'csv');
    const result = extractDocument(compileSchema(STOCK), new Reading(pages, await joinedTables(pages)));
    expect(result.data['articles']).toEqual(stock);
    expect(result.completeness).toMatchObject([{ returnedRows: 1200, expectedRows: 1200, complete: true }]);
    expect(result.fields['/articles/1199/name']?.citations).toMatchObject([
      { source: 'cell', cellRange: 'B1201', excerpt: (stock[1199] as JsonObject)['name'] },
    ]);
  });
});
