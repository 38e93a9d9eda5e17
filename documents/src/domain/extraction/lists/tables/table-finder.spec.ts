import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../../../src/domain/json.js';
import { drawnReading } from '../../../../../test/support/extraction/drawn-reading.js';
import { compileSchema } from '../../../schemas/compile-schema.js';
import { extractDocument } from '../../extract-document.js';
import { Reading } from '../../model/reading.js';
import type { ExtractedDocument } from '../../model/extraction-result.js';

const text = (description: string): JsonObject => ({ type: 'string', description });
const number = (description: string): JsonObject => ({ type: 'number', description });

const LINE: JsonObject = {
  type: 'object',
  properties: {
    position: { type: 'integer', description: 'Position' },
    article: text('Description of the article'),
    quantity: number('Quantity'),
    amount: number('Amount of the line'),
  },
};
const LINES: JsonObject = { type: 'array', items: LINE, description: 'Lines of the order' };

function extracted(lines: JsonObject, reading: Reading): ExtractedDocument {
  return extractDocument(compileSchema({ type: 'object', properties: { lines } }), reading);
}

/** The values of each row, in the order of the schema. */
function rows({ data }: ExtractedDocument): unknown[][] {
  return (data['lines'] as JsonObject[]).map((row) => Object.values(row));
}

const ORDER = `
   Order 4711

   Pos.  Description                 Quantity      Amount
   1     Steel hinge                        4       12.00
   2     Brass bracket                     10       85.50
   3     Copper valve                       1    1,030.00
         Total                                   1,127.50

   Payment within thirty days.
`;

describe('a table', () => {
  it('becomes a list: columns are properties by what their headers say, sums are no rows', () => {
    const result = extracted(LINES, drawnReading(ORDER));
    expect(rows(result)).toEqual([
      [1, 'Steel hinge', 4, 12],
      [2, 'Brass bracket', 10, 85.5],
      [3, 'Copper valve', 1, 1030],
    ]);
    expect(result.fields['/lines/2/amount']).toMatchObject({ raw: '1,030.00', citations: [{ excerpt: '1,030.00' }] });
    expect(result.completeness).toEqual([
      { path: '/lines', returnedRows: 3, expectedRows: 3, method: 'numbering', missingPages: [], complete: true },
    ]);
  });

  it('is found by its headers in another language, and without regard to the order of columns', () => {
    const page = `
   Bezeichnung                 Menge     Betrag   Pos.
   Stahlscharnier                  4      12,00      1
   Messingwinkel                  10   1.085,50      2
   Kupferventil                    1      30,00      3
`;
    expect(rows(extracted(LINES, drawnReading(page)))).toEqual([
      [1, 'Stahlscharnier', 4, 12],
      [2, 'Messingwinkel', 10, 1085.5],
      [3, 'Kupferventil', 1, 30],
    ]);
  });

  it('has a row over several lines where a text is wrapped, with a box for each line', () => {
    const page = `
   Pos.  Description                 Quantity      Amount
   1     Steel hinge with two               4       12.00
         spare screws

   2     Brass bracket                     10       85.50

   3     Copper valve for wet               1       30.00
         rooms
`;
    const result = extracted(LINES, drawnReading(page));
    expect(rows(result).map(([, article]) => article)).toEqual([
      'Steel hinge with two spare screws',
      'Brass bracket',
      'Copper valve for wet rooms',
    ]);
    const [citation] = result.fields['/lines/0/article']?.citations ?? [];
    expect(citation?.boundingBoxes).toHaveLength(2);
    expect(citation?.excerpt).toBe('Steel hinge with two\nspare screws');
  });

  it('goes on over pages with their headers, heads and feet', () => {
    const page = (from: number): string => `
   Order 4711

   Pos.  Description                 Quantity      Amount
   ${from}     Steel hinge                        4       12.00
   ${from + 1}     Brass bracket                     10       85.50
         Carried forward                           97.50


   Wholesale Ltd.                      Page ${from}
`;
    const result = extracted(LINES, drawnReading(page(1), page(3), page(5)));
    expect(rows(result).map(([position]) => position)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(result.completeness[0]).toMatchObject({ returnedRows: 6, complete: true });
  });

  it('gives a code in brackets to the property that is one', () => {
    const item: JsonObject = {
      type: 'object',
      properties: { code: text('Article number'), name: text('Article'), amount: number('Amount') },
    };
    const page = `
   Description                 Amount
   [A-17] Steel hinge           12.00
   [B-20] Brass bracket         85.50
`;
    const result = extracted({ type: 'array', items: item, description: 'Articles' }, drawnReading(page));
    expect(rows(result)).toEqual([
      ['A-17', 'Steel hinge', 12],
      ['B-20', 'Brass bracket', 85.5],
    ]);
  });

  it('is none where its headers name something else', () => {
    const page = `
   Engine        Cylinders     Torque     Pressure
   V8                    8        400         12.5
   V6                    6        300         11.5
`;
    expect(rows(extracted(LINES, drawnReading(page)))).toEqual([]);
  });
});

describe('a list of lists', () => {
  const results: JsonObject = {
    type: 'array',
    description: 'Results',
    items: {
      type: 'object',
      properties: {
        rank: { type: 'integer', description: 'Rank' },
        who: { type: 'object', properties: { runner: text('Runner'), club: text('Club') }, description: 'Runner' },
        points: number('Points'),
        marks: {
          type: ['array', 'null'],
          items: { enum: ['PB', 'CR'], type: 'string' },
          description: 'Records',
        },
      },
    },
  };
  const groups: JsonObject = {
    type: 'array',
    description: 'Age groups',
    items: { type: 'object', properties: { group: text('Age group'), results } },
  };

  it('has a group for each title over rows, and the marks of a row', () => {
    const page = `
   Rank  Name                Club             Points
#   Age group: 20-24
   1     Anna Abel           Harriers          97.5 PB-CR
   2     Bea Brandt          Striders          90.5
#   Age group: 25-29
   1     Clara Costa         Harriers          95.5
   2     Dora Dietz          Roadrunners       80.5 PB
`;
    const { data } = extracted(groups, drawnReading(page));
    const row = (rank: number, runner: string, club: string, points: number, marks: string[]): JsonObject => ({
      ...{ rank, who: { runner, club }, points, marks },
    });
    expect(data['lines']).toEqual([
      {
        group: '20-24',
        results: [row(1, 'Anna Abel', 'Harriers', 97.5, ['PB', 'CR']), row(2, 'Bea Brandt', 'Striders', 90.5, [])],
      },
      {
        group: '25-29',
        results: [row(1, 'Clara Costa', 'Harriers', 95.5, []), row(2, 'Dora Dietz', 'Roadrunners', 80.5, ['PB'])],
      },
    ]);
  });

  it('has a group for each value of a column that says the same in several rows', () => {
    const page = `
   Age group   Rank  Runner              Club             Points
   20-24       1     Anna Abel           Harriers          97.5
               2     Bea Brandt          Striders          90.5
   25-29       1     Clara Costa         Harriers          95.5
`;
    const { data } = extracted(groups, drawnReading(page));
    expect((data['lines'] as JsonObject[]).map((one) => [one['group'], (one['results'] as unknown[]).length])).toEqual([
      ['20-24', 2],
      ['25-29', 1],
    ]);
  });
});

describe('the number of rows', () => {
  const list = (positions: readonly (number | null)[]): string =>
    [
      '   Pos.  Description                 Quantity      Amount',
      ...positions.map((at) =>
        at === null ? '' : `   ${String(at).padEnd(6)}Steel hinge                        4       12.00`,
      ),
    ].join('\n');

  it('is short where the numbering leaves one out', () => {
    const result = extracted(LINES, drawnReading(list([1, 2, 3, 5, 6])));
    expect(result.completeness[0]).toMatchObject({ expectedRows: 6, method: 'numbering', complete: false });
    expect(result.warnings).toMatchObject([{ code: 'rows_missing' }]);
  });

  it('is short where the document says so', () => {
    const result = extracted(LINES, drawnReading(`${list([1, 2, 3])}\n\n   Total lines: 4\n`));
    expect(result.completeness[0]).toMatchObject({ expectedRows: 4, method: 'stated_total', complete: false });
  });

  it('is short where there is room for a row among the others', () => {
    const unnumbered = list([1, 2, 3, null, 5, 6, 7, 8, 9, 10, 11]).replaceAll(/^ {3}\d+ */gmu, '         ');
    const result = extracted(LINES, drawnReading(unnumbered.replace('Pos.', '    ')));
    expect(result.completeness[0]).toMatchObject({ returnedRows: 10, expectedRows: 11, method: 'table_rows' });
  });

  it('is short where a page between the others was not read', () => {
    const whole = drawnReading(list([1, 2]), list([3, 4]), list([5, 6]));
    const pages = whole.pages.filter(({ pageNumber }) => pageNumber !== 2);
    const result = extracted(LINES, new Reading(pages, [], 3));
    expect(result.completeness[0]).toMatchObject({ expectedRows: 6, missingPages: [2], complete: false });
  });

  it('is not known to be none where a page was not read', () => {
    const pages = drawnReading('   Order 4711', list([1, 2])).pages.slice(0, 1);
    const result = extracted(LINES, new Reading(pages, [], 2));
    expect(result.completeness[0]).toMatchObject({ returnedRows: 0, missingPages: [2], complete: false });
  });
});
