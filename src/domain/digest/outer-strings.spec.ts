import { describe, expect, it } from '@jest/globals';
import { readOuterStrings } from './outer-strings.js';

const NAMES = ['id', 'tool'];

describe('string members of a text that is not parsed', () => {
  it.each([
    ['{"id":"a","tool":"b"}', { id: 'a', tool: 'b' }],
    [' { "tool" :\n"b" , "x":{"id":"inner"},"id":"a"}', { tool: 'b', id: 'a' }],
    ['{"x":["id","id"],"y":{"tool":{"id":"deep"}}}', {}],
    ['{"id":"first","id":"last"}', { id: 'last' }],
    ['{"id":"first","id":7}', {}],
    ['{"x":"\\"id\\":\\"no\\"","id":"\\u0061\\ud800"}', { id: 'a\ud800' }],
    ['{"\\u0069d":"a"}', { id: 'a' }],
    ['{"id":"unfinished', {}],
    ['["id","a"]', {}],
    ['', {}],
  ])('of %s', (text, members) => {
    expect(Object.fromEntries(readOuterStrings(text, NAMES))).toEqual(members);
  });

  it('are found behind what nests ten thousand levels deep', () => {
    const text = `{"input":${'[{"id":'.repeat(10_000)}0${'}]'.repeat(10_000)},"id":"a"}`;
    expect(readOuterStrings(text, NAMES).get('id')).toBe('a');
  });
});
