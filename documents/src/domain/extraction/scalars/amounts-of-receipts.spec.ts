import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../../../../../src/domain/json.js';
import { drawnReading } from '../../../../test/support/extraction/drawn-reading.js';
import { normalizeSchema } from '../../schemas/normal-schema.js';
import { extractDocument } from '../extract-document.js';
import { Reading } from '../model/reading.js';

const FIELDS: JsonObject = {
  a: { type: 'number', description: 'Total amount to pay, tax included.' },
  b: { type: 'number', description: 'Total amount before tax.' },
  c: { type: 'number', description: 'Total amount of tax.' },
  d: { type: 'string', description: 'Company that issued the receipt, as printed.' },
  e: { type: 'string', description: 'Date of the purchase, exactly as printed.' },
};
const answers = (reading: Reading, ...keys: string[]): JsonValue[] => {
  const properties = Object.fromEntries(Object.entries(FIELDS).filter(([key]) => keys.includes(key)));
  const { data } = extractDocument({ root: normalizeSchema({ type: 'object', properties }) }, reading);
  return keys.map((key) => data[key] ?? null);
};

/** A picture that was read; words in `{…}` hardly. */
function recognized(text: string): Reading {
  const { pages } = drawnReading(text);
  const read = pages.map((page) => ({
    ...page,
    source: 'ocr' as const,
    words: page.words.map((word) => {
      const confidence = word.text.startsWith('{') ? 0.45 : 0.95;
      return { ...word, text: word.text.replaceAll(/[{}]/gu, ''), source: 'ocr' as const, confidence };
    }),
  }));
  return new Reading(read, [], 1);
}

describe('of several amounts that are called total, what is to be paid is', () => {
  it('the one after rounding', () => {
    const receipt = `
Sub Total                 24.43
Tax                        1.61
Total:                    26.04
Rounding:                  0.01
Total:                    26.05
Cash                      30.00
Change                     3.95`;
    expect(answers(recognized(receipt), 'a')).toEqual([26.05]);
  });

  it('not that of a rate, nor one of the summary of taxes', () => {
    const receipt = `
Total 6% supplies (inc. tax):    8.48
Total Payable:                  40.18

Tax Summary
Code             Amount          Tax
Total            39.70          0.48`;
    expect(answers(recognized(receipt), 'a')).toEqual([40.18]);
  });

  it('not what was handed over', () => {
    const receipt = `
Amount incl. GST          5.00
Accepted total           10.00
Change                    5.00`;
    expect(answers(recognized(receipt), 'a')).toEqual([5]);
  });

  it('what others make together, where its own line was misread', () => {
    const receipt = `
Milk 1x                   9.50
Total (excluding GST):    8.96
GST payable:              0.54
Total (inclusive of GST): {$,50}
Cash                      9.50`;
    expect(answers(recognized(receipt), 'a')).toEqual([9.5]);
  });
});

it('of two readings of one value the surer one is taken', () => {
  const receipt = `
Car park

{17/08/21} 11:24
Paid on 17/03/21`;
  expect(answers(recognized(receipt), 'e')).toEqual(['17/03/21']);
});

it('a header in one piece over several columns names each column by the words over it', () => {
  const invoice = `
Tax %     Taxable amount Tax amount      Total
21 %      41.31          8.68            49.99`;
  expect(answers(drawnReading(invoice), 'b', 'c')).toEqual([41.31, 8.68]);
});

it('the second line of a label is read with the first', () => {
  const invoice = `
Pos.      Beschreibung          Ohne          Betrag
                                MwSt.
1         Wartung               3,89          3,89
`;
  expect(answers(drawnReading(invoice), 'c')).toEqual([null]);
});

it('the name of a company may be set so widely that each word stands alone', () => {
  const receipt = `
RED     HERON     ENTERPRISE
12, Jalan Utama
Total:    7.00`;
  expect(answers(recognized(receipt), 'd')).toEqual(['RED HERON ENTERPRISE']);
});
