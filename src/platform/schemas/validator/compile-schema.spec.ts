import { describe, expect, it } from '@jest/globals';
import type { SchemaDialect } from '../../../domain/gate/schema-dialect.js';
import type { JsonObject, JsonValue } from '../../../domain/json.js';
import { compileSchema } from './compile-schema.js';

const check = (schema: JsonObject, document: JsonValue, dialect: SchemaDialect = '2020-12'): string[] =>
  compileSchema(schema, dialect)(document);
const passes = (schema: JsonObject, document: JsonValue, dialect: SchemaDialect = '2020-12'): boolean =>
  check(schema, document, dialect).length === 0;

describe('a frozen schema', () => {
  it('CP-313 names the places of what it rejects; a missing property is its parent’s', () => {
    const schema = {
      type: 'object',
      required: ['q'],
      properties: { q: { type: 'string' }, list: { type: 'array', items: { type: 'object', required: ['id'] } } },
    };
    expect(check(schema, {})).toEqual(['']);
    expect(check(schema, { q: 1 })).toEqual(['/q']);
    expect(check(schema, { q: 'a', list: [{ id: 1 }, {}, 5] })).toEqual(['/list/1', '/list/2']);
    expect(check({ properties: { 'a/b~c': { type: 'string' } } }, { 'a/b~c': 1 })).toEqual(['/a~1b~0c']);
    expect(check(schema, null)).toEqual(['']);
  });

  it.each<[string, JsonObject, JsonValue]>([
    ['prefixItems', { prefixItems: [{ type: 'string' }] }, [1]],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, { a: 1 }],
  ])('CP-320 %s binds under 2020-12 alone, whatever $schema says', (_keyword, schema, document) => {
    for (const $schema of [
      'https://json-schema.org/draft/2020-12/schema',
      'http://json-schema.org/draft-07/schema#',
      'x:y',
    ]) {
      expect(passes({ $schema, ...schema }, document, '2020-12')).toBe(false);
      expect(passes({ $schema, ...schema }, document, 'draft-07')).toBe(true);
    }
  });

  it('CP-320 is read as draft-07 under another version: lists of items, nothing beside a reference', () => {
    expect(passes({ items: [{ type: 'string' }] }, [1], 'draft-07')).toBe(false);
    expect(() => compileSchema({ items: [{ type: 'string' }] }, '2020-12')).toThrow();
    const beside = { definitions: { a: {} }, $ref: '#/definitions/a', const: 2 };
    expect([passes(beside, 1, 'draft-07'), passes(beside, 1, '2020-12')]).toEqual([true, false]);
  });

  it('does not assert formats, and leaves unknown keywords alone', () => {
    expect(passes({ type: 'string', format: 'email', 'x-unit': 'm', default: 1 }, 'no address')).toBe(true);
  });

  it('takes names of prototypes for data', () => {
    expect(passes({ required: ['constructor'] }, {})).toBe(false);
    expect(passes({ properties: { toString: { type: 'string' } } }, {})).toBe(true);
    expect(passes({ additionalProperties: false }, JSON.parse('{"__proto__":1}') as JsonValue)).toBe(false);
  });

  it('CP-316 uses the linear-time engine for patterns of every keyword', () => {
    const long = 'a'.repeat(100_000);
    expect(passes({ pattern: '^(a+)+$' }, `${long}b`)).toBe(false);
    expect(passes({ patternProperties: { '^(a|a)*$': false } }, { [`${long}b`]: 1 })).toBe(true);
    expect(passes({ propertyNames: { pattern: '^(a|aa)+$' } }, { [`${long}b`]: 1 })).toBe(false);
    expect(passes({ allOf: [{ pattern: '^a' }, { pattern: 'b$' }] }, 'ab')).toBe(true);
    expect(passes({ pattern: 'b' }, 'abc')).toBe(true);
    expect(passes({ pattern: '^[\\u00e9\\w]+\\/(?<year>\\d{4})$' }, 'é/2026')).toBe(true);
    for (const pattern of ['(?=a)b', '(a)\\1', '(?<!a)b', '(', 'x{1001}']) {
      expect(() => compileSchema({ pattern }, '2020-12')).toThrow();
    }
  });

  it('CP-316 cannot refer to anything outside itself, not even to another schema that was compiled', () => {
    for (const dialect of ['2020-12', 'draft-07'] as const) {
      compileSchema(
        { $id: 'https://a.example/s', definitions: { x: { $id: 'https://a.example/x', type: 'string' } } },
        dialect,
      );
      for (const $ref of [
        'https://a.example/s',
        'https://a.example/x',
        'http://json-schema.org/draft-07/schema#',
        '#/nowhere',
      ]) {
        expect(() => compileSchema({ $ref }, dialect)).toThrow();
      }
      expect(() => compileSchema({ $id: 'https://a.example/s', $ref: '#/definitions/x' }, dialect)).toThrow();
    }
  });

  it('may carry any identity, also one that others carry', () => {
    for (const $id of ['https://a.example/s', 'https://a.example/s', 'https://json-schema.org/draft/2020-12/schema']) {
      expect(passes({ $id, $defs: { a: { type: 'string' } }, $ref: '#/$defs/a' }, 1)).toBe(false);
    }
  });

  it('is refused when it would answer with a promise', () => {
    for (const $async of [true, 1]) expect(() => compileSchema({ $async, type: 'string' }, '2020-12')).toThrow();
    expect(() => compileSchema({ properties: { a: { $async: true, type: 'string' } } }, '2020-12')).toThrow();
  });

  it.each<JsonObject>([
    { type: 'strng' },
    { minimum: '5' },
    { required: 'q' },
    { properties: { a: 5 } },
    { minLength: -1 },
    { required: [1] },
  ])('is refused when it is none: %j', (schema) => {
    expect(() => compileSchema(schema, '2020-12')).toThrow();
  });
});
