import { describe, expect, it } from '@jest/globals';
import { parseJsonPreservingNumbers } from '../digest/parse-json.js';
import { findUnstorable } from './storable-json.js';

const find = (text: string) => findUnstorable(parseJsonPreservingNumbers(text));

describe('JSON that the record cannot hold', () => {
  it.each([
    '"\\u0000"',
    '"a\\ud800"',
    '["\\udc00\\ud800"]',
    '{"a":[{"b":"\\ud83d"}]}',
    '{"\\u0000":1}',
    '{"a":{"\\udfff":1}}',
  ])('is %s for its text', (text) => expect(find(text)).toBe('text'));

  it.each([
    '1e400', '-1e309', '[1e131073]', '{"a":-1e999999999}', '1e-400', '0.00001e-400', '-1e-999999999', '1.7976931348623159e308',
    '9'.repeat(400), `0.${'3'.repeat(20_000)}`,
  ])('is a number out of range: %.40s', (text) => expect(find(text)).toBe('number')); // prettier-ignore

  it.each([
    '"\\ud83d\\ude00"', '"\\\\u0000"', '9223372036854775808', '1.0', '0e400', '-0.000', '5e-324', '1e308', '9'.repeat(300), 'null', '{"__proto__":[true]}',
  ])('is not %.40s', (text) => expect(find(text)).toBeNull()); // prettier-ignore
});
