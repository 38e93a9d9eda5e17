import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { doublesAround, readAsDoubles } from './doubles-around.js';
import { parseJsonPreservingNumbers } from './parse-json.js';

describe('doubles around a number literal', () => {
  it.each<[string, number, number]>([
    ['9007199254740993', 9007199254740992, 9007199254740994],
    ['-9007199254740993', -9007199254740994, -9007199254740992],
    ['9007199254740993.0', 9007199254740992, 9007199254740994],
    ['1.00000000000000000001', 1, 1 + Number.EPSILON],
    ['0.99999999999999999999', 1 - Number.EPSILON / 2, 1],
    ['1e400', Number.MAX_VALUE, Infinity],
    ['-1e400', -Infinity, -Number.MAX_VALUE],
    ['1e-400', 0, Number.MIN_VALUE],
    ['-1e-400', -Number.MIN_VALUE, -0],
    [`1.${'0'.repeat(2000)}1`, 1, 1 + Number.EPSILON],
  ])('are those next to %s', (literal, below, above) => {
    expect(doublesAround(literal)).toEqual([below, above]);
  });

  it.each([
    '1.0',
    '0.10',
    '1e2',
    '100',
    '-0',
    '0.0',
    '1E+22',
    '0.1000000000000000055511151231257827021181583404541015625',
  ])('are one for %s, which only writes a double differently', (literal) => {
    expect(doublesAround(literal)).toEqual([Number(literal), Number(literal)]);
  });

  it('hold every integer between them, as closely as doubles can', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (integer) => {
        const [below, above] = doublesAround(`${integer}`);
        const nearest = Number(`${integer}`);
        expect([below, above]).toContain(nearest);
        if (below !== above) expect(BigInt(below) < integer && integer < BigInt(above)).toBe(true);
        else expect(BigInt(nearest) === integer || decimal(nearest) === integer).toBe(true);
      }),
    );
  });
});

/** The shortest form of a double as an integer. */
function decimal(value: number): bigint {
  const [digits = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length);
}

describe('a document read as doubles', () => {
  const readings = (text: string): unknown => readAsDoubles(parseJsonPreservingNumbers(text));

  it('has one reading where every number is a double', () => {
    expect(readings('{"a":[1.0,0.10,{"b":null}],"c":"x"}')).toEqual([{ a: [1, 0.1, { b: null }], c: 'x' }]);
  });

  it('has a reading below and one above where one is not', () => {
    expect(readings('{"a":[9007199254740993,1]}')).toEqual([
      { a: [9007199254740992, 1] },
      { a: [9007199254740994, 1] },
    ]);
  });

  it('keeps keys with names of prototypes as data', () => {
    const [only] = readAsDoubles(parseJsonPreservingNumbers('{"__proto__":{"x":1.0}}'));
    expect(JSON.stringify(only)).toBe('{"__proto__":{"x":1}}');
    expect(Object.getPrototypeOf(only)).toBe(Object.prototype);
  });
});
