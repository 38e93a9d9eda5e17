import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../src/domain/json.js';
import { Reading } from '../extraction/model/reading.js';
import type { ExtractedDocument, ExtractedField } from '../extraction/model/extraction-result.js';
import type { Page } from '../page-model.js';
import { normalizeSchema } from '../schemas/normal-schema.js';
import { checkEvidence } from './check-evidence.js';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    buyer: { type: ['string', 'null'], description: 'Who buys.' },
    tags: { type: 'array', items: { type: 'string' }, description: 'Tags.' },
  },
};

/** One line: `Buyer Acme Ltd`. */
const WORDS = ['Buyer', 'Acme', 'Ltd'];
const TEXT = WORDS.join(' ');
const PAGE: Page = {
  ...{ pageNumber: 1, width: 600, height: 800, unit: 'pt', rotation: 0, text: TEXT, source: 'text_layer' },
  ...{ ocrConfidence: null, rules: [], fields: [], images: [], tables: [], warnings: [] },
  words: WORDS.map((text, at) => {
    const from = TEXT.indexOf(text);
    return {
      text,
      box: [at / 10, 0.1, 0.08, 0.02],
      from,
      to: from + text.length,
      source: 'text_layer',
      confidence: 0.99,
    };
  }),
  lines: [{ first: 0, last: 2, box: [0, 0.1, 0.28, 0.02] }],
};
const FIELD: ExtractedField = {
  ...{ confidence: 0.8, origin: 'local', raw: 'Acme Ltd', normalizedBy: 'verbatim' },
  signals: { read: 0.99, find: 1, fit: 1, agree: 0.5, ground: 1 },
  citations: [
    {
      ...{ pageNumber: 1, page: { width: 600, height: 800, unit: 'pt', rotation: 0 }, excerpt: 'Acme Ltd' },
      boundingBoxes: [{ x: 0.1, y: 0.1, width: 0.18, height: 0.02 }],
      ...{ charRange: { from: 6, to: 14 }, match: 'exact', source: 'text_layer' },
    },
  ],
};

function faultsOf(change: { data?: JsonObject; field?: Partial<ExtractedField>; citation?: object }): string[] {
  const citations = FIELD.citations.map((one) => ({ ...one, ...change.citation }));
  const result: ExtractedDocument = {
    data: change.data ?? { buyer: 'Acme Ltd', tags: [] },
    fields: { '/buyer': { ...FIELD, citations, ...change.field } },
    completeness: [
      { path: '/tags', returnedRows: 0, expectedRows: null, method: null, missingPages: [], complete: true },
    ],
    warnings: [],
  };
  const faults = checkEvidence(normalizeSchema(SCHEMA), result, new Reading([PAGE], []));
  return faults.map(({ path, message }) => `${path} ${message}`);
}

describe('evidence of a result', () => {
  it('has no faults where the value follows from what is cited', () => {
    expect(faultsOf({})).toEqual([]);
  });

  it('may be what a value follows from, where it is said to be inferred: but it stands where it is cited', () => {
    const data = { buyer: 'company', tags: [] };
    expect(faultsOf({ data, citation: { match: 'inferred' } })).toEqual([]);
    const elsewhere = { match: 'inferred', excerpt: 'Acme Inc' };
    expect(faultsOf({ data, citation: elsewhere }).join()).toContain('does not stand on page 1');
  });

  it.each([
    [
      'a value that does not follow from its raw text',
      { data: { buyer: 'Acme', tags: [] } },
      'verbatim makes "Acme Ltd"',
    ],
    ['a raw text that is not cited', { field: { raw: 'Acme Inc' } }, 'does not stand in the excerpt'],
    ['an excerpt that is not on the page', { citation: { excerpt: 'Acme Inc' } }, 'does not stand on page 1'],
    [
      'an excerpt outside of its boxes',
      { citation: { boundingBoxes: [{ x: 0.1, y: 0.1, width: 0.08, height: 0.02 }] } },
      'stands outside of its boxes',
    ],
    [
      'a box of a large part of the page',
      { citation: { boundingBoxes: [{ x: 0, y: 0, width: 0.6, height: 0.6 }] } },
      'has a box of a large part',
    ],
    ['a page that was not read', { citation: { pageNumber: 2 } }, 'cites page 2'],
    ['a value without a citation', { field: { citations: [] } }, 'has no citation'],
    ['a value from nowhere', { field: { citations: [], raw: null } }, 'has no raw text'],
    ['a confidence that is no probability', { field: { confidence: Number.NaN } }, 'has a confidence of NaN'],
    ['a key of no schema', { data: { buyer: 'Acme Ltd', tags: [], seller: 'x' } }, '/seller is in no schema'],
    ['a leaf of which nothing is said', { data: { buyer: 'Acme Ltd', tags: ['x'] } }, '/tags/0 says nothing of itself'],
  ])('finds %s', (_what, change, message) => {
    expect(faultsOf(change).join('\n')).toContain(message);
  });

  it('may have a long text that stands in its boxes with specks of the picture between', () => {
    const words = Array.from({ length: 80 }, (_, at) => (at === 70 ? '~' : `word${at}`));
    const text = words.join(' ');
    let from = 0;
    const page: Page = {
      ...PAGE,
      text,
      words: words.map((word, at) => {
        const box: [number, number, number, number] = [(at % 40) / 50, at < 40 ? 0.1 : 0.2, 0.01, 0.02];
        const placed = { text: word, box, from, to: from + word.length, source: 'ocr' as const, confidence: 0.9 };
        from += word.length + 1;
        return placed;
      }),
      lines: [
        { first: 0, last: 39, box: [0, 0.1, 0.8, 0.02] },
        { first: 40, last: 79, box: [0, 0.2, 0.8, 0.02] },
      ],
    };
    const boundingBoxes = [0.1, 0.2].map((y) => ({ x: 0, y, width: 0.8, height: 0.02 }));
    const excerpt = `${words.slice(0, 40).join(' ')}\n${words.slice(40).join(' ')}`.slice(0, 300);
    const faults = (raw: string): unknown[] =>
      checkEvidence(
        normalizeSchema(SCHEMA),
        {
          ...{ data: { buyer: raw, tags: [] }, warnings: [] },
          fields: {
            '/buyer': {
              ...FIELD,
              raw,
              citations: FIELD.citations.map((one) => ({
                ...{ ...one, excerpt, boundingBoxes, charRange: { from: 0, to: text.length } },
              })),
            },
          },
          completeness: [
            { path: '/tags', returnedRows: 0, expectedRows: null, method: null, missingPages: [], complete: true },
          ],
        },
        new Reading([page], []),
      );
    const said = words.filter((word) => word !== '~');
    expect(faults(said.join(' '))).toEqual([]);
    expect(faults([...said.slice(0, -1), 'invented'].join(' '))).toMatchObject([{ path: '/buyer' }]);
  });
});
