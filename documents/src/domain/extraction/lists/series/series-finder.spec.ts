import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../../../../../../src/domain/json.js';
import { drawnReading } from '../../../../../test/support/extraction/drawn-reading.js';
import { compileSchema } from '../../../schemas/compile-schema.js';
import { extractDocument } from '../../extract-document.js';
import type { ExtractedDocument } from '../../model/extraction-result.js';

const ITEM: JsonObject = {
  type: 'object',
  properties: {
    v: { type: ['number', 'null'], description: 'Reported value.' },
    when: { type: 'string', description: "Reporting period (e.g. 'FY2031 Q1')." },
    u: { type: 'string', description: 'Currency or unit.' },
    s: { type: ['integer', 'null'], description: 'Scale factor.' },
    level: { enum: ['whole group', 'one division'], type: 'string', description: 'Reporting level.' },
    part: { type: 'string', description: "Name of the segment. 'none' for the whole group." },
  },
};

function extracted(properties: Record<string, string>, ...pages: string[]): ExtractedDocument {
  const list = (description: string): JsonObject => ({ type: 'array', items: ITEM, description });
  const schema = {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).map(([name, said]) => [name, list(said)])),
  };
  return extractDocument(compileSchema(schema), drawnReading(...pages));
}

/** Value, period, unit and scale of each item. */
function figures(result: ExtractedDocument, name: string): JsonValue[][] {
  return (result.data[name] as JsonObject[]).map(({ v, when, u, s }) => [
    v ?? null,
    when ?? null,
    u ?? null,
    s ?? null,
  ]);
}

const INCOME = `
                         CONSOLIDATED STATEMENTS OF OPERATIONS
                         (In thousands, except per share amounts)
                                               Three Months Ended          Nine Months Ended
                                                  March 31,                   March 31,
                                               2031          2030          2031          2030
Revenues:
   Products                              $    5,100     $    4,900     $   15,000    $   14,200
   Services                                   1,000            950          2,900         2,700
Total revenues                                6,100          5,850         17,900        16,900
Cost of sales                                (4,000)        (3,900)       (11,900)      (11,100)
Gross profit                                  2,100          1,950          6,000         5,800
Other income, net                                 -              3             (2)            7
Interest expense                                (20)           (25)           (70)          (75)
Net (loss) earnings                      $      (80)    $      300     $      900    $    1,100
Earnings per common share:
   Basic                                 $    (0.08)    $     0.30     $     0.90    $     1.10
   Diluted                               $    (0.08)    $     0.29     $     0.89    $     1.08
The notes are part of these statements, which were not audited by anybody for the fiscal year ended June 30, 2030.
`;

const BALANCE = `
                              BALANCE SHEETS
                              (in thousands)
                                                             March 31,        June 30,
                                                                2031             2030
Cash and cash equivalents                               $      1,250     $        990
Accounts receivable, net of allowance of $3 and $4             2,000            1,900
Inventories                                                      700              650
Total current assets                                           3,950            3,540
Goodwill                                                          80               80
Total assets                                            $      4,030     $      3,620
Accounts payable                                                 500              480
Total liabilities                                              1,500            1,480
`;

describe('a list of measurements', () => {
  it('DI-013 has an item for each time of the row that it names, in fiscal periods, with unit and scale', () => {
    const result = extracted({ sales: 'Total revenue of the business.' }, INCOME);
    expect(figures(result, 'sales')).toEqual([
      [6100, 'FY2031 Q3', 'USD', 1000],
      [5850, 'FY2030 Q3', 'USD', 1000],
      [17900, 'FY2031 YTD', 'USD', 1000],
      [16900, 'FY2030 YTD', 'USD', 1000],
    ]);
    expect(result.fields['/sales/0/v']).toMatchObject({ raw: '6,100', normalizedBy: 'figure' });
    expect(result.fields['/sales/0/s']).toMatchObject({ raw: 'thousands', normalizedBy: 'scale' });
    expect((result.data['sales'] as JsonObject[])[0]).toMatchObject({ level: 'whole group', part: 'none' });
  });

  it('DI-013 keeps the sign of a loss, and drops that of an expense which is in brackets as such', () => {
    const result = extracted({ bottom: 'Net income', cost: 'Cost of revenue', interest: 'Interest expense' }, INCOME);
    expect(figures(result, 'bottom').map(([value]) => value)).toEqual([-80, 300, 900, 1100]);
    expect(figures(result, 'cost').map(([value]) => value)).toEqual([4000, 3900, 11900, 11100]);
    expect(result.fields['/cost/0/v']).toMatchObject({ raw: '4,000' });
    expect(figures(result, 'interest').map(([value]) => value)).toEqual([20, 25, 70, 75]);
  });

  it('DI-013 reads a row below its caption, and does not scale what is given for one share', () => {
    const result = extracted({ eps: 'Diluted earnings per share' }, INCOME);
    expect(figures(result, 'eps')).toEqual([
      [-0.08, 'FY2031 Q3', 'USD', 1],
      [0.29, 'FY2030 Q3', 'USD', 1],
      [0.89, 'FY2031 YTD', 'USD', 1],
      [1.08, 'FY2030 YTD', 'USD', 1],
    ]);
  });

  it('DI-013 takes balances from days: the end of a fiscal year is that year, another the quarter', () => {
    const result = extracted({ a: 'Total assets: everything owned.', r: 'Accounts receivable' }, INCOME, BALANCE);
    expect(figures(result, 'a')).toEqual([
      [4030, 'FY2031 Q3', 'USD', 1000],
      [3620, 'FY2030', 'USD', 1000],
    ]);
    expect(figures(result, 'r').map(([value]) => value)).toEqual([2000, 1900]);
  });

  it('DI-013 finds what it does not know by the words of the schema, and nothing for what no row names', () => {
    const result = extracted({ o: 'Other income', n: 'Deposits held for tenants' }, INCOME, BALANCE);
    expect(figures(result, 'o').map(([value]) => value)).toEqual([0, 3, -2, 7]);
    expect(result.data['n']).toEqual([]);
  });

  it('DI-013 says nothing of columns that differ in more than their time', () => {
    const equity = `
                         STATEMENTS OF EQUITY
                                     Three Months Ended March 31, 2031
                                       Common       Retained
                                       Stock        Earnings         Total
Balance, January 1, 2031           $      10    $      700    $      710
Net earnings                               -           (80)          (80)
`;
    expect(extracted({ n: 'Net income' }, equity).data['n']).toEqual([]);
  });
});
