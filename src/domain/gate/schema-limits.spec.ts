import { describe, expect, it } from '@jest/globals';
import type { ExactJson } from '../digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../digest/parse-json.js';
import type { JsonObject, JsonValue } from '../json.js';
import { dialectOf } from './schema-dialect.js';
import { joinPointers } from './schema-finding.js';
import { argumentBreach, guardSchema } from './schema-limits.js';

const guard = (schema: JsonObject): string => guardSchema(schema).kind;
const nested = (levels: number, innermost: JsonValue = {}): JsonObject => {
  let value: JsonValue = innermost;
  for (let level = 1; level < levels; level += 1) value = { not: value };
  return value as JsonObject;
};
const members = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, 0]));

describe('the schema guard', () => {
  it.each<[string, (amount: number) => JsonObject, number]>([
    ['levels', nested, 32],
    ['values', (count) => members(count - 1), 20_000],
    ['bytes', (bytes) => ({ description: 'x'.repeat(bytes - 18) }), 262_144],
    ['patterns', (count) => ({ properties: list(count, () => ({ pattern: 'a' })) }), 64],
    ['property names', (count) => ({ allOf: array(count, () => ({ propertyNames: {} })) }), 64],
    ['members of patternProperties', (count) => ({ patternProperties: list(count, () => true) }), 64],
  ])('CP-316 passes the last allowed number of %s and refuses one more', (_what, make, limit) => {
    expect([guard(make(limit)), guard(make(limit + 1))]).toEqual(['compilable', 'refused']);
  });

  it('CP-316 counts bytes of UTF-8, and the size last', () => {
    expect(guard({ description: 'é'.repeat(131_100) })).toBe('refused');
    expect(
      guardSchema({ description: 'x'.repeat(300_000), properties: list(65, () => ({ pattern: 'a' })) }),
    ).toMatchObject({
      reason: expect.stringContaining('patterns') as unknown as string,
    });
  });

  it('CP-316 counts a property that is only called pattern, and no list under patternProperties', () => {
    expect(guard({ properties: { pattern: {}, ...list(63, () => ({ pattern: 'a' })) } })).toBe('compilable');
    expect(guard({ properties: { pattern: {}, ...list(64, () => ({ pattern: 'a' })) } })).toBe('refused');
    expect(guard({ patternProperties: array(65, () => true) })).toBe('compilable');
  });

  it.each([
    'https://example.com/s.json',
    'http://x#/a',
    'file:///etc/passwd',
    'other.json',
    '/a',
    '//x',
    'urn:a:b',
    '',
    ' #/a',
  ])('CP-316 refuses a reference to %j wherever it stands', (reference) => {
    expect(guard({ $ref: reference })).toBe('refused');
    expect(guard({ $dynamicRef: reference })).toBe('refused');
    expect(guard({ properties: { a: { anyOf: [{}, { $ref: reference }] } } })).toBe('refused');
    expect(guard({ enum: [{ $ref: reference }] })).toBe('refused');
  });

  it('CP-316 passes references inside the document, and what is no reference', () => {
    expect(guard({ $ref: '#/$defs/a', $defs: { a: { $dynamicRef: '#' } } })).toBe('compilable');
    expect(guard({ properties: { $ref: { type: 'string' } } })).toBe('compilable');
    expect(guard({ $ref: 5, $dynamicRef: { type: 'string' } })).toBe('compilable');
  });

  it('CP-316 ends quickly for any depth and width', () => {
    expect(guard(nested(100_000))).toBe('refused');
    expect(guard({ enum: array(1_000_000, () => 0) })).toBe('refused');
  });

  it('keeps members with names of prototypes as data', () => {
    expect(guardSchema(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as JsonObject)).toEqual({
      kind: 'compilable',
      text: '{"properties":{"__proto__":{"type":"string"}}}',
    });
  });
});

describe('limits of arguments', () => {
  const breach = (input: ExactJson): string | null => argumentBreach(input, JSON.stringify(input));

  it.each<[string, (amount: number) => ExactJson, number]>([
    ['levels', nested, 64],
    ['values', (count) => members(count - 1), 10_000],
    ['bytes', (bytes) => 'x'.repeat(bytes - 2), 1_048_576],
  ])('CP-313 pass the last allowed number of %s; one more is named without a path', (what, make, limit) => {
    expect(breach(make(limit))).toBeNull();
    expect(breach(make(limit + 1))).toBe(
      what === 'bytes'
        ? '(larger than 1048576 bytes)'
        : `(${what === 'levels' ? 'deeper' : 'more'} than ${limit} ${what})`,
    );
  });

  it('take a kept number for one value', () => {
    expect(breach(parseJsonPreservingNumbers(`[${'1.0,'.repeat(9998)}1.0]`))).toBeNull();
  });
});

describe('pointers of a rejection', () => {
  it('CP-313 are distinct, eight at most, and (root) for the whole', () => {
    expect(joinPointers(['', '/a', '', '/a'])).toBe('(root), /a');
    expect(joinPointers(array(20, (i) => `/p${i}`)).split(', ')).toEqual(array(8, (i) => `/p${i}`));
  });

  it('CP-313 have 400 bytes at most, cut between characters', () => {
    const joined = joinPointers(['/aé'.padEnd(300, 'é'), `/${'b'.repeat(300)}`]);
    expect(Buffer.byteLength(joined)).toBeLessThanOrEqual(400);
    expect(joined).not.toContain('\ufffd');
    expect(Buffer.byteLength(joinPointers([`/${'é'.repeat(300)}`]))).toBe(399);
  });

  it('can be stored whatever a key is called', () => {
    expect(joinPointers(['/\0\ud800'])).toBe('/\ufffd\ufffd');
  });
});

describe('the dialect', () => {
  it('CP-320 follows the frozen protocol version, and is 2020-12 where none was negotiated', () => {
    expect(['2025-11-25', undefined, '2025-06-18', '2024-11-05', ''].map(dialectOf)).toEqual([
      '2020-12',
      '2020-12',
      'draft-07',
      'draft-07',
      'draft-07',
    ]);
  });
});

function array<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index));
}

function list<T extends JsonValue>(length: number, make: () => T): JsonObject {
  return Object.fromEntries(array(length, (index) => [`p${index}`, make()]));
}
