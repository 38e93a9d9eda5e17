import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../../../../src/domain/json.js';
import { checkSchema } from './check-schema.js';
import { SCHEMA_LIMITS } from './schema-limits.js';

const text = (description = 'A text.'): JsonObject => ({ type: 'string', description });
const schemaOf = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});
const faultsOf = (schema: JsonValue): [path: string, code: string][] =>
  checkSchema(schema).faults.map(({ path, code }) => [path, code]);

describe('the check of a schema', () => {
  it('DI-011 takes every word of the subset, nullable objects and lists, and references', () => {
    const schema = schemaOf(
      {
        number: { ...text(), pattern: '^[A-Z]{2}\\d+$', minLength: 3, maxLength: 20, title: 'Number' },
        date: { type: ['string', 'null'], format: 'date', description: 'A day.' },
        rate: { type: 'number', minimum: 0, exclusiveMaximum: 100, multipleOf: 0.5, description: 'A rate.' },
        state: { enum: ['open', 'paid', null], description: 'A state.' },
        kind: { const: 'letter', description: 'A kind.' },
        year: { anyOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }], description: 'A year.' },
        party: { anyOf: [{ $ref: '#/$defs/Party' }, { type: 'null' }], description: 'Somebody.' },
        parties: { type: ['array', 'null'], items: { $ref: '#/$defs/Party' }, minItems: 0, description: 'All.' },
        sender: { $ref: '#/$defs/Party', description: 'Who wrote it.' },
        grid: { type: 'array', items: { type: 'array', items: { type: 'number' } }, description: 'Numbers.' },
      },
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        required: ['number'],
        additionalProperties: false,
        $defs: { Party: schemaOf({ name: text('A name.') }, { description: 'A party.' }) },
      },
    );
    expect(checkSchema(schema)).toEqual({ faults: [], fieldCount: 13, depth: 3 });
  });

  it('DI-011 lists the paths of all keys without a description, those of definitions and nested lists too', () => {
    const schema = schemaOf(
      {
        a: { type: 'string' },
        'b/c': { enum: ['x'], description: '  ' },
        rows: { type: 'array', description: 'Rows.', items: schemaOf({ '~d': { anyOf: [{ type: 'string' }] } }) },
        inner: { type: 'object', description: 'Inside.', properties: { e: { type: 'integer' } } },
        told: { $ref: '#/$defs/Told' },
        untold: { $ref: '#/$defs/Untold' },
      },
      { $defs: { Told: text(), Untold: schemaOf({ f: { type: 'boolean' } }) } },
    );
    const missing = faultsOf(schema);
    expect(new Set(missing.map(([, code]) => code))).toEqual(new Set(['description_missing']));
    expect(missing.map(([path]) => path)).toEqual([
      '/properties/a',
      '/properties/b~1c',
      '/properties/rows/items/properties/~0d',
      '/properties/inner/properties/e',
      '/properties/untold',
      '/$defs/Untold/properties/f',
    ]);
  });

  it('DI-011 tells every other fault at once, with its place and what to write instead', () => {
    const schema = schemaOf(
      {
        a: { type: 'text', description: 'A.' },
        b: { ...text(), minimum: 1 },
        c: { type: 'integer', enum: [1, 'two'], description: 'C.' },
        d: { type: 'array', description: 'D.' },
        e: { type: 'object', description: 'E.' },
        f: { ...text(), pattern: '(' },
        g: { ...text(), pattern: '(?=x)a' },
        h: { type: ['string', 'number'], description: 'H.' },
        i: { anyOf: [schemaOf({ x: text() }), { type: 'string' }], description: 'I.' },
        j: { $ref: '#/$defs/None', description: 'J.' },
        k: { ...text(), default: 'x' },
        l: { description: 'L.' },
        m: { type: 'number', minimum: 2, maximum: 1, description: 'M.' },
        n: { ...text(), nullable: true },
      },
      { required: ['A'], oneOf: [] },
    );
    const { faults } = checkSchema(schema);
    expect(new Set(faults.map(({ code }) => code))).toEqual(new Set(['schema_invalid']));
    expect(faults.map(({ path }) => path).sort()).toEqual(
      [
        ...['/oneOf', '/properties/a/type', '/properties/b/minimum', '/properties/c/enum/1', '/properties/d'],
        ...['/properties/e', '/properties/f/pattern', '/properties/g/pattern', '/properties/h/type'],
        ...['/properties/i/anyOf/0', '/properties/j/$ref', '/properties/k/default', '/properties/l'],
        ...['/properties/m/minimum', '/properties/n/nullable', '/required/0'],
      ].sort(),
    );
    expect(faults.find(({ path }) => path === '/required/0')?.suggestion).toBe('"a"');
    expect(faults.find(({ path }) => path === '/properties/a/type')?.suggestion).toBe('string');
  });

  it('refuses what is no object, what holds itself, and what only looks small', () => {
    expect(faultsOf([])).toEqual([['', 'schema_invalid']]);
    expect(faultsOf({ type: 'array', items: text() })).toContainEqual(['/type', 'schema_invalid']);
    const loop = schemaOf({ a: { $ref: '#/$defs/A' } }, { $defs: { A: schemaOf({ b: { $ref: '#/$defs/A' } }) } });
    expect(faultsOf(loop)).toContainEqual(['/$defs/A/properties/b/$ref', 'schema_invalid']);
    // Forty definitions of which each holds the next one twice stand for more than a billion properties.
    const names = Array.from({ length: 40 }, (_, at) => `D${at}`);
    const $defs = Object.fromEntries(
      names.map((name, at) => {
        const next = { $ref: `#/$defs/D${at + 1}`, description: 'The next.' };
        return [name, at === 39 ? text() : schemaOf({ a: next, b: next })];
      }),
    );
    const started = performance.now();
    const bomb = checkSchema(schemaOf({ a: { $ref: '#/$defs/D0', description: 'All.' } }, { $defs }));
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(bomb.faults.map(({ code }) => code)).toEqual(['too_large', 'too_large']);
  });

  it('holds the limits: properties, depth, characters, values of an enum, bytes', () => {
    const { properties, depth, characters, enumValues, bytes } = SCHEMA_LIMITS;
    const many = (count: number): JsonObject =>
      schemaOf(
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string', description: 'A' }])),
      );
    expect(faultsOf(many(properties))).toEqual([]);
    expect(faultsOf(many(properties + 1))).toEqual([['', 'too_large']]);
    const deep = (levels: number): JsonObject =>
      levels === 1 ? schemaOf({ a: text() }) : schemaOf({ a: { ...deep(levels - 1), description: 'Deeper.' } });
    expect(faultsOf(deep(depth))).toEqual([]);
    expect(faultsOf(deep(depth + 1))).toEqual([['', 'too_large']]);
    expect(faultsOf(schemaOf({ a: text('x'.repeat(characters)) }))).toEqual([['', 'too_large']]);
    const values = Array.from({ length: enumValues + 1 }, (_, at) => `v${at}`);
    expect(faultsOf(schemaOf({ a: { ...text(), enum: values } }))).toEqual([['/properties/a/enum', 'schema_invalid']]);
    expect(faultsOf(schemaOf({ a: text('ä'.repeat(bytes / 2)) })).length).toBe(2);
  });

  it('measures what stands behind a long chain of definitions or alternatives, too', () => {
    const text = { type: 'string', description: 'A text.' };
    const chain = Object.fromEntries(
      Array.from({ length: 140 }, (_, at) => [`C${at}`, { $ref: `#/$defs/C${at + 1}` }]),
    );
    const held = Object.fromEntries(
      Array.from({ length: 14 }, (_, at) => {
        const next = { $ref: `#/$defs/B${at + 1}`, description: 'The next.' };
        return [`B${at}`, schemaOf({ a: next, b: next }, { description: 'Two.' })];
      }),
    );
    const $defs = { ...chain, C140: { $ref: '#/$defs/B0' }, ...held, B14: text };
    const hidden = schemaOf({ a: { $ref: '#/$defs/C0', description: 'All.' } }, { $defs });
    expect(faultsOf(hidden)).toContainEqual(['', 'too_large']);
    const nested = (levels: number): JsonObject =>
      levels === 0 ? { type: 'string' } : { anyOf: [nested(levels - 1)] };
    expect(faultsOf(schemaOf({ a: { ...nested(8), description: 'One.' } }))).toEqual([]);
    expect(faultsOf(schemaOf({ a: { ...nested(40), description: 'One.' } }))).not.toEqual([]);
    const nullable = (levels: number): JsonObject =>
      levels === 1
        ? schemaOf({ a: text })
        : schemaOf({ a: { anyOf: [nullable(levels - 1), { type: 'null' }], description: 'Deeper.' } });
    expect(faultsOf(nullable(SCHEMA_LIMITS.depth))).toEqual([]);
  });

  const entries = (count: number, entry: (at: number) => [string, JsonValue]): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => entry(at)));
  it.each<[string, JsonObject]>([
    [
      'names that are required and are none',
      schemaOf(
        entries(8_000, (at) => [`k${at}`, 0]),
        { required: Array.from({ length: 40_000 }, () => 'q') },
      ),
    ],
    [
      'references to definitions that there are not',
      schemaOf(
        entries(4_000, (at) => [`k${at}`, { $ref: '#/$defs/x' }]),
        { $defs: entries(8_000, (at) => [`d${at}`, 0]) },
      ),
    ],
    [
      'values of none of many types',
      schemaOf({
        a: {
          ...text(),
          type: Array.from({ length: 9_000 }, () => 'string'),
          enum: Array.from({ length: 60_000 }, () => 1),
        },
      }),
    ],
    [
      'a long name around many faults',
      schemaOf({ ['n'.repeat(120_000)]: { ...text(), ...schemaOf(entries(12_000, (at) => [`k${at}`, 0])) } }),
    ],
    ['more than a schema may have', schemaOf(entries(90_000, (at) => [`k${at}`, 0]))],
  ])('says in a moment what is wrong with %s', (_what, schema) => {
    const started = performance.now();
    const { faults } = checkSchema(schema);
    expect(faults.length).toBeGreaterThan(0);
    expect(JSON.stringify(faults).length).toBeLessThan(16 * 1024 ** 2);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('suggests words alone, whatever a word is called', () => {
    const { faults } = checkSchema(schemaOf({ a: { ...text(), type: 'constructor', constructor: 1 } }));
    expect(faults).toHaveLength(2);
    for (const { suggestion } of faults) expect(typeof suggestion).toBe('string');
  });

  it('never fails on a schema that is nothing but wrong', () => {
    const wrong: JsonValue[] = [
      null,
      'x',
      { type: 'object', properties: [] },
      { type: 'object', properties: { a: null, '': 1 }, required: 'a', $defs: [] },
      { $ref: 'http://x', properties: { a: { $ref: 1, items: [], anyOf: {}, enum: {}, pattern: 1, required: [1] } } },
      {
        type: ['object', 'object'],
        properties: { a: { type: [], const: {}, multipleOf: 0, minItems: -1, format: 1 } },
      },
    ];
    for (const schema of wrong) expect(checkSchema(schema).faults.length).toBeGreaterThan(0);
  });
});
