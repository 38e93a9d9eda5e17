import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../domain/json.js';
import { Validators } from './validators.js';

const job = (schema: JsonObject, input: string, key = JSON.stringify(schema)) => ({
  key,
  dialect: '2020-12' as const,
  schema: JSON.stringify(schema),
  input,
});
const finding = (schema: JsonObject, input: string): unknown => new Validators().check(job(schema, input)).kind;

describe('numbers that are no doubles', () => {
  it.each<[JsonObject, string, string]>([
    [{ type: 'integer' }, '1.0', 'valid'],
    [{ type: 'integer' }, '9007199254740993', 'valid'],
    [{ type: 'integer' }, '1.00000000000000000001', 'rejected'],
    [{ maximum: 9007199254740992 }, '9007199254740993', 'rejected'],
    [{ minimum: 9007199254740994 }, '9007199254740993', 'rejected'],
    [{ maximum: 9007199254740994 }, '9007199254740993', 'valid'],
    [{ const: 9007199254740992 }, '9007199254740993', 'rejected'],
    [{ enum: [9007199254740992, 9007199254740994] }, '9007199254740993', 'valid'],
    [{ multipleOf: 0.1 }, '0.10', 'valid'],
    [{ type: 'number' }, '1e400', 'rejected'],
    [{ type: 'number' }, '-1e400', 'rejected'],
    [{ exclusiveMinimum: 0 }, '1e-400', 'rejected'],
  ])('CP-313 have to pass %j from both sides: %s is %s', (schema, input, expected) => {
    expect(finding(schema, input)).toBe(expected);
  });
});

describe('the validators of a thread', () => {
  it('compile a schema once for each key', () => {
    const validators = new Validators();
    expect(validators.check(job({ type: 'string' }, '"a"', 'k')).kind).toBe('valid');
    expect(validators.check(job({ type: 'number' }, '"a"', 'k')).kind).toBe('valid');
    expect(validators.check(job({ type: 'number' }, '"a"', 'l')).kind).toBe('rejected');
  });

  it('keep the latest 256, and forget the oldest', () => {
    const validators = new Validators();
    const check = (key: string, type: string) => validators.check(job({ type }, '"a"', key)).kind;
    for (let i = 0; i < 256; i += 1) expect(check(`k${i}`, 'string')).toBe('valid');
    expect(check('k0', 'number')).toBe('valid');
    expect(check('k256', 'string')).toBe('valid');
    expect([check('k0', 'number'), check('k1', 'number')]).toEqual(['valid', 'rejected']);
  });

  it('hold what is no schema for unusable', () => {
    expect(finding({ type: 'strng' }, '{}')).toBe('unusable');
    expect(finding({ $ref: '#' }, '{}')).toBe('unusable');
    expect(
      finding({ allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, '1'),
    ).toBe('unusable');
  });
});
