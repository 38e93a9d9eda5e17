import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../src/domain/json.js';
import { compileSchema } from './compile-schema.js';
import { digestSchema } from './schema-digest.js';

const SCHEMA: JsonObject = {
  type: 'object',
  required: ['total'],
  properties: {
    total: { type: 'number', minimum: 0, description: 'The total.' },
    state: { enum: ['open', null], description: 'The state.' },
    year: {
      anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^\\d{4}$' }, { type: 'null' }],
      description: 'The year.',
    },
    buyer: { $ref: '#/$defs/Party', description: 'Who buys.' },
    seller: { anyOf: [{ $ref: '#/$defs/Party' }, { type: 'null' }], description: 'Who sells.' },
    'a/b': { type: ['array', 'null'], items: { type: 'string' }, description: 'Tags.' },
    lines: {
      type: 'array',
      minItems: 1,
      description: 'Lines.',
      items: {
        type: 'object',
        properties: {
          price: { type: ['number', 'null'], description: 'The price.' },
          marks: { type: 'array', description: 'Marks.', items: { const: 'x' } },
        },
      },
    },
  },
  $defs: {
    Party: {
      type: 'object',
      description: 'A party.',
      properties: { name: { type: 'string', description: 'A name.' } },
    },
  },
};

describe('a compiled schema', () => {
  it('DI-010 has a leaf for every value, with its path, type, description, and the list that it stands in', () => {
    const { leaves, lists } = compileSchema(SCHEMA);
    expect(
      leaves.map(({ path, type, description, nullable, list }) => [path, type, description, nullable, list]),
    ).toEqual([
      ['/total', 'number', 'The total.', false, null],
      ['/state', 'string', 'The state.', true, null],
      ['/year', 'integer', 'The year.', true, null],
      ['/buyer/name', 'string', 'A name.', false, null],
      ['/seller/name', 'string', 'A name.', false, null],
      ['/a~1b/*', 'string', 'Tags.', false, '/a~1b'],
      ['/lines/*/price', 'number', 'The price.', true, '/lines'],
      ['/lines/*/marks/*', 'string', 'Marks.', false, '/lines/*/marks'],
    ]);
    expect(leaves[0]).toMatchObject({ required: true, enum: null, rules: [{ bounds: { minimum: 0 } }] });
    expect(leaves[1]).toMatchObject({ required: false, enum: ['open'] });
    expect(leaves[2]?.rules.map(({ type, pattern }) => [type, pattern])).toEqual([
      ['integer', null],
      ['string', '^\\d{4}$'],
    ]);
    expect(leaves[7]?.enum).toEqual(['x']);
    expect(lists.map(({ path, items, nullable, minItems, list }) => [path, items, nullable, minItems, list])).toEqual([
      ['/a~1b', 'scalar', true, null, null],
      ['/lines', 'object', false, 1, null],
      ['/lines/*/marks', 'scalar', false, null, '/lines'],
    ]);
  });

  it('DI-010 keeps what an object or a list may be: null where an alternative says so', () => {
    const { properties } = compileSchema(SCHEMA).root;
    const nullable = properties.map(({ name, node }) => [name, node.kind, node.nullable]);
    expect(nullable).toContainEqual(['seller', 'object', true]);
    expect(nullable).toContainEqual(['buyer', 'object', false]);
    expect(properties.find(({ name }) => name === 'buyer')?.node.description).toBe('Who buys. A party.');
  });
});

describe('the digest of a schema', () => {
  const of = (schema: JsonObject): string => digestSchema(schema).toString('hex');
  const a = { type: 'string', description: 'A.' };
  const b = { type: 'string', description: 'B.' };

  it('DI-010 is the same whatever the order of words, and another for another order of properties', () => {
    const schema = { type: 'object', properties: { a, b } };
    expect(of({ properties: { a: { description: 'A.', type: 'string' }, b }, type: 'object' })).toBe(of(schema));
    expect(of({ type: 'object', properties: { b, a } })).not.toBe(of(schema));
    expect(of({ type: 'object', properties: { a, b: { ...b, description: 'C.' } } })).not.toBe(of(schema));
  });

  it('knows a property from a word of the same name', () => {
    const inner = (properties: JsonObject): JsonObject => ({ type: 'object', properties: { properties, type: a } });
    expect(of(inner({ type: 'object', properties: { a, b } }))).not.toBe(
      of(inner({ type: 'object', properties: { b, a } })),
    );
  });
});
