import { describe, expect, it } from '@jest/globals';
import { labelFilter, labelFilterProblem, labelsProblem } from './labels.js';

describe('labels', () => {
  it('are at most 16 short strings under plain names', () => {
    expect(labelsProblem({ 'a/b.c_d-e': 'x', empty: '' })).toBeUndefined();
    for (const bad of [
      null,
      [],
      'a',
      { 'a b': 'x' },
      { '': 'x' },
      { ['a'.repeat(64)]: 'x' },
      { a: 5 },
      { a: null },
      { a: 'x'.repeat(256) },
    ]) {
      expect(labelsProblem(bad)).toBeDefined();
    }
    expect(labelsProblem(Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`l${index}`, 'x'])))).toContain(
      '16',
    );
  });

  it('filter as name=value, once or more', () => {
    expect(labelFilter(undefined)).toBeUndefined();
    expect(labelFilter('a=b=c')).toEqual({ a: 'b=c' });
    expect(labelFilter(['a=1', 'b='])).toEqual({ a: '1', b: '' });
    for (const bad of ['a', '=a', '', ['a=1', 'b']]) expect(labelFilterProblem(bad)).toBe('must be name=value');
  });
});
