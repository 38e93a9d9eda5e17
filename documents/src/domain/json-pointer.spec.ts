import { describe, expect, it } from '@jest/globals';
import { pointerTo, valueAt } from './json-pointer.js';

describe('pointers into data', () => {
  const data = { 'a/b': [{ '~c': 1 }, { '~1': 2 }], none: null };

  it('lead to what they were made for, whatever names hold', () => {
    expect(pointerTo(pointerTo(pointerTo('', 'a/b'), 0), '~c')).toBe('/a~1b/0/~0c');
    expect(valueAt(data, pointerTo('/a~1b/0', '~c'))).toBe(1);
    expect(valueAt(data, pointerTo('/a~1b/1', '~1'))).toBe(2);
    expect(valueAt(data, '')).toBe(data);
  });

  it('lead to null where there is nothing', () => {
    expect(valueAt(data, '/none/x')).toBeNull();
    expect(valueAt(data, '/a~1b/7')).toBeNull();
  });
});
