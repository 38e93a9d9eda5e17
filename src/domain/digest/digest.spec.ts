import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cpuClock } from '../../../test/support/time/cpu-clock.js';
import { SandgateError } from '../errors.js';
import { canonicalJson } from './canonical-json.js';
import { digestOf } from './digest.js';
import type { ExactJson } from './exact-json.js';
import { isRawNumber } from './exact-json.js';
import { parseJsonPreservingNumbers } from './parse-json.js';

const parse = (text: string): ExactJson => parseJsonPreservingNumbers(text);
const canonical = (text: string): string => canonicalJson(parse(text));

describe('input digests', () => {
  it.each([
    ['{"command":"ls"}', '4cf29611a6693486'],
    ['{}', '44136fa355b3678a'],
    ['null', '74234e98afe7498f'],
    ['{"b":1,"a":{"d":2,"c":3}}', '78d48859c3252943'],
  ])('CP-334 %s has the digest that starts with %s', (text, prefix) => {
    expect(digestOf(parse(text))).toMatch(new RegExp(`^sha256:${prefix}[0-9a-f]{48}$`));
  });

  it('CP-334 takes an absent input for null, which is not {}', () => {
    expect(digestOf(undefined)).toBe(digestOf(null));
    expect(digestOf(undefined)).not.toBe(digestOf({}));
  });

  it('CP-334 follows RFC 8785: order by UTF-16 units, shortest numbers, plain non-ASCII', () => {
    expect(canonical('{"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"\\ud83d\\ude00":5,"\\u0080":6,"\\u00f6":7}')).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    );
    expect(canonical('[1e3, 0.1, -0, 0.5e1, 4.50, 2e-3]')).toBe('[1000,0.1,0,0.5e1,4.5,2e-3]');
    expect(canonical('{"a":1,"a":2}')).toBe('{"a":2}');
  });

  it('CP-334 tells two large integers apart, and 1 from 1.0', () => {
    expect(digestOf(parse('9007199254740993'))).not.toBe(digestOf(parse('9007199254740992')));
    expect(digestOf(parse('{"n":1.0}'))).not.toBe(digestOf(parse('{"n":1}')));
    expect(
      canonical('[9007199254740993,9007199254740992,1.0,1.50,0.10,1e22,1e23,5e-324,1e400,12345678901234567890.0]'),
    ).toBe('[9007199254740993,9007199254740992,1.0,1.5,0.10,1e+22,1e23,5e-324,1e400,12345678901234567890.0]');
  });

  it('keeps the text of a number for what goes upstream', () => {
    const value = parse('{"id":9007199254740993}');
    expect(JSON.stringify(value)).toBe('{"id":9007199254740993}');
  });

  it('does not take data for a kept number', () => {
    const value = parse('{"n":{"rawJSON":"1.0"}}') as { n: ExactJson };
    expect(isRawNumber(value.n)).toBe(false);
    expect(canonicalJson(value)).toBe('{"n":{"rawJSON":"1.0"}}');
  });

  it('keeps keys with names of prototypes as data', () => {
    const text = '{"__proto__":{"command":"ls"},"constructor":1.0,"toString":null}';
    const value = parse(text) as Record<string, ExactJson>;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(canonicalJson(value)).toBe(text);
  });

  it('gives every value a digest, lone surrogates included', () => {
    expect(digestOf('\ud800')).not.toBe(digestOf('\ud801'));
    expect(() => canonicalJson(Number.NaN)).toThrow(RangeError);
  });

  it('is stable under the order of keys and under white space', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const shuffled = JSON.stringify(reversed(value as ExactJson), null, 2);
        expect(digestOf(parse(shuffled))).toBe(digestOf(parse(text)));
        expect(JSON.parse(canonical(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('agrees with exact decimal arithmetic for every literal', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (integer) => {
        const text = integer.toString();
        const exact = BigInt(Number(text)) === integer;
        expect(isRawNumber(parse(text))).toBe(!exact && text !== String(Number(text)));
      }),
    );
  });
});

describe('a decimal fraction', () => {
  const plain = (digits: string): string => digits.replace(/\.?0+$/, '');

  it('is kept by its text when its double is another number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 15 - 1 }), fc.integer({ min: 1, max: 22 }), (significand, places) => {
        const digits = String(significand).padStart(places + 1, '0');
        const text = `${digits.slice(0, -places)}.${digits.slice(-places)}`;
        const value = Number(text);
        // A hundred places show any double of this size exactly.
        const isExact = plain(value.toFixed(100)) === plain(text);
        const keeps = (Number.isInteger(value) || !isExact) && text !== String(value);
        expect(isRawNumber(parse(text))).toBe(keeps);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('bounded parse', () => {
  it('refuses too deep nesting before it parses', () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(parse(nested(128))).toHaveLength(1);
    expect(() => parse(nested(129))).toThrow('deeper than 128 levels');
    expect(() => parse('['.repeat(1_000_000))).toThrow(SandgateError);
    expect(parse(JSON.stringify('['.repeat(200)))).toBe('['.repeat(200));
  });

  it('refuses too many values, and counts none inside strings', () => {
    expect(parseJsonPreservingNumbers('{"a":[1.0,2],"b":",,[["}', 4)).toHaveProperty('b');
    expect(() => parseJsonPreservingNumbers('[[],[],1]', 4)).toThrow('more than 4 values');
  });

  it('refuses malformed text as an invalid request', () => {
    expect(() => parse('{"a":1.0,}')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('reads a literal of a million digits without delay', () => {
    const text = `1${'0'.repeat(500_000)}1.5`;
    const spentMs = cpuClock();
    expect(isRawNumber(parse(text))).toBe(true);
    expect(spentMs()).toBeLessThan(1000);
  });
});

function reversed(value: ExactJson): ExactJson {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, member]) => [key, reversed(member)]));
}
