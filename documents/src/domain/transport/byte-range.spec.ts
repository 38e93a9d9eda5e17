import { describe, expect, it } from '@jest/globals';
import { readByteRange } from './byte-range.js';

describe('a range of bytes', () => {
  it.each([
    ['bytes=0-0', { offset: 0, length: 1 }],
    ['bytes=2-4', { offset: 2, length: 3 }],
    ['bytes=7-', { offset: 7, length: 3 }],
    ['bytes=7-99', { offset: 7, length: 3 }],
    ['bytes=-4', { offset: 6, length: 4 }],
    ['bytes=-40', { offset: 0, length: 10 }],
    ['bytes=10-', 'outside'],
    ['bytes=-0', 'outside'],
    [undefined, null],
    ['bytes=4-2', null],
    ['bytes=0-1,3-4', null],
    ['lines=1-2', null],
    ['bytes=a-b', null],
  ])('%p of ten is %j', (header, range) => {
    expect(readByteRange(header, 10)).toEqual(range);
  });
});
