import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { leafTypesOf, scoreSchemas, type LeafTypes } from '../../../../test/support/schemas/score-schema.js';
import { checkSchema } from '../check-schema.js';
import { describeSchema } from './describe-schema.js';

const FIXTURES = new URL('../../../../test/support/schemas/descriptions.json', import.meta.url);

const descriptions = JSON.parse(readFileSync(FIXTURES, 'utf8')) as { says: string; expected: LeafTypes }[];

const typesOf = (says: string): LeafTypes => leafTypesOf(describeSchema(says).jsonSchema);

describe('a schema from words', () => {
  it('DI-012 sixty descriptions, written before the grammar, give their properties and types', () => {
    expect(descriptions).toHaveLength(60);
    const { properties, types, misses } = scoreSchemas(
      descriptions.map(({ says, expected }) => [expected, typesOf(says)] as const),
    );
    if (types < 0.97) process.stderr.write(`${properties} ${types}\n${misses.join('\n')}\n`);
    expect(properties).toBeGreaterThanOrEqual(0.85);
    expect(types).toBeGreaterThanOrEqual(0.85);
  });

  it('DI-012 each of them passes the validator, with a description for every key', () => {
    const faults = descriptions.map(({ says }) => checkSchema(describeSchema(says).jsonSchema).faults);
    expect(faults.flat()).toEqual([]);
  });

  it('DI-012 an unknown noun becomes a described text with a warning, in lists too', () => {
    const { jsonSchema, warnings } = describeSchema('zorblat, rows with quixel and price');
    expect(leafTypesOf(jsonSchema)).toEqual({ zorblat: 'string', 'rows[].quixel': 'string', 'rows[].price': 'number' });
    expect(warnings.map(({ path, code }) => [path, code])).toEqual([
      ['/properties/zorblat', 'unknown_noun'],
      ['/properties/rows/items/properties/quixel', 'unknown_noun'],
    ]);
    expect(jsonSchema).toMatchObject({ properties: { zorblat: { description: 'Zorblat.' } } });
  });

  it('DI-012 says in descriptions what documents print, units and values', () => {
    const { jsonSchema } = describeSchema(
      'the total labelled "Amount payable" in EUR, state (open or paid), rent per month',
    );
    expect(jsonSchema).toMatchObject({
      properties: {
        total: { type: ['number', 'null'], description: expect.stringContaining('labelled "Amount payable"') },
        state: { enum: ['open', 'paid', null], description: expect.stringContaining('one of open, paid') },
        rent: { description: expect.stringContaining('per month') },
      },
    });
  });

  it('gives a key to what is named twice, and says so; what names nothing says that', () => {
    const twice = describeSchema('date, amount, date');
    expect(Object.keys(leafTypesOf(twice.jsonSchema))).toEqual(['date', 'amount', 'date2']);
    expect(twice.warnings).toMatchObject([{ path: '/properties/date2', code: 'renamed' }]);
    for (const nothing of ['', ' , ; "" ()', '...']) {
      expect(describeSchema(nothing).warnings).toMatchObject([{ code: 'nothing_named' }]);
    }
  });

  it('the longest hostile words take no longer than a moment', () => {
    const hostile = [
      'one of ' + 'a,  '.repeat(1_990),
      'a with '.repeat(1_140),
      '('.repeat(4_000) + ')'.repeat(4_000),
      '"'.repeat(8_000),
      'a and '.repeat(1_330),
      'what is '.repeat(1_000),
      ' '.repeat(8_000),
      'x: '.repeat(2_660),
      'a.'.repeat(4_000),
    ];
    for (const says of hostile) {
      const started = performance.now();
      describeSchema(says);
      expect(performance.now() - started).toBeLessThan(2_000);
    }
  });
});
