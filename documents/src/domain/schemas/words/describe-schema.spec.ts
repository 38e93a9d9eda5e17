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
});
