import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { indexRules } from './tool-matcher.js';

describe('the index of rules', () => {
  it('finds what a walk over all matchers finds', () => {
    const matcher = fc.constantFrom('*', 'a*', 'ab*', 'abc*', 'b*', 'a', 'ab', 'abc', 'b', '', 'a**');
    const matchers = fc.array(fc.array(matcher, { minLength: 1, maxLength: 3 }), { maxLength: 6 });
    fc.assert(
      fc.property(matchers, fc.constantFrom('', 'a', 'ab', 'abc', 'abcd', 'b', 'ba', 'c', 'a*'), (lists, tool) => {
        expect(indexRules(lists).firstRule(tool)).toEqual(walk(lists, tool));
      }),
      { numRuns: 2000 },
    );
  });
});

/** A rule that names the tool counts under that name, whatever else in it matches. */
function walk(lists: readonly (readonly string[])[], tool: string): { rule: number; matcher: string } | null {
  for (const [rule, list] of lists.entries()) {
    if (list.includes(tool) && !tool.endsWith('*')) return { rule, matcher: tool };
    const start = list.find((matcher) => matcher.endsWith('*') && tool.startsWith(matcher.slice(0, -1)));
    if (start !== undefined) return { rule, matcher: start };
  }
  return null;
}
