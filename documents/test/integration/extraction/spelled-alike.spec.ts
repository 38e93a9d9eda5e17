import { describe, expect, it } from '@jest/globals';
import type { RuleNode } from '../../../src/domain/benchmark/rule.js';
import { spelledAlike } from '../../bench/extraction/spelled-alike.js';

const RULES: RuleNode = {
  kind: 'object',
  properties: new Map<string, RuleNode>([
    ['title', { kind: 'leaf', rules: [{ by: 'similar' }] }],
    ['code', { kind: 'leaf', rules: [{ by: 'exact' }] }],
    ['tags', { kind: 'list', item: { kind: 'leaf', rules: [{ by: 'letters' }] } }],
  ]),
};

describe('values for a judge with rules of its own', () => {
  it('have one sign where the rule of their leaf calls them the same, and others where it does not', () => {
    const { got, gold } = spelledAlike(
      { title: 'Snow on the rofs of barns', code: 'a-1', tags: ['wet snow', 'ice'] },
      { title: 'Snow on the roofs of barns', code: 'A1', tags: ['roof', 'Wet-Snow', ''] },
      RULES,
    );
    expect(gold).toEqual({ title: 'gold 0', code: 'gold 0', tags: ['gold 0', 'gold 1', ''] });
    expect(got).toEqual({ title: 'gold 0', code: 'other 0', tags: ['gold 1', 'other 1'] });
  });

  it('stay as they are where the other side has another shape', () => {
    expect(spelledAlike({ tags: null }, { tags: 'none', title: { text: 'x' } }, RULES)).toEqual({
      got: { tags: null },
      gold: { tags: 'none', title: { text: 'x' } },
    });
  });
});
