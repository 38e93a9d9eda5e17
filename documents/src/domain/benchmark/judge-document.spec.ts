import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '../../../../src/domain/json.js';
import { countLeaves, figuresOf, shareOf } from './figures.js';
import { judgeDocument } from './judge-document.js';
import type { RuleNode } from './rule.js';

const TEXT: RuleNode = { kind: 'leaf', rules: [{ by: 'exact' }] };
const object = (properties: Record<string, RuleNode>): RuleNode => ({
  kind: 'object',
  properties: new Map(Object.entries(properties)),
});
const ROWS = object({ name: TEXT, rows: { kind: 'list', item: object({ a: TEXT, b: TEXT, c: TEXT }) } });
const NESTED = object({ groups: { kind: 'list', item: object({ of: TEXT, words: { kind: 'list', item: TEXT } }) } });

const sharesOf = (got: JsonValue, gold: JsonValue, rules: RuleNode, unscored: string[] = []): object => {
  const { returned, gold: asked, right } = shareOf(countLeaves(judgeDocument(got, gold, rules, unscored).leaves));
  return { returned, gold: asked, right };
};

describe('a result beside its gold', () => {
  it('takes null, empty text and an absent key for the same, and counts none of them', () => {
    expect(sharesOf({ name: '', rows: [] }, { name: null }, ROWS)).toEqual({ returned: 0, gold: 0, right: 0 });
    expect(sharesOf({ name: 'x' }, {}, ROWS)).toEqual({ returned: 1, gold: 0, right: 0 });
  });

  it('pairs rows so that most leaves agree, wherever they stand', () => {
    const gold = {
      rows: [
        { a: '1', b: '2', c: '3' },
        { a: '1', b: '5', c: '6' },
      ],
    };
    const got = {
      rows: [
        { a: '1', b: '5', c: 'x' },
        { a: '9', b: '2', c: '3' },
      ],
    };
    expect(sharesOf(got, gold, ROWS)).toEqual({ returned: 6, gold: 6, right: 4 });
  });

  it('gives up the best pair where two others together are better', () => {
    const gold = {
      rows: [
        { a: '1', b: '2', c: '3' },
        { a: '1', b: '2', c: 'z' },
      ],
    };
    // The first row agrees in two leaves with both, the second one with the first alone.
    const got = {
      rows: [
        { a: '1', b: '2', c: 'y' },
        { a: 'x', b: '2', c: '3' },
      ],
    };
    expect(sharesOf(got, gold, ROWS)).toEqual({ returned: 6, gold: 6, right: 4 });
  });

  it('pairs lists inside of rows, and groups of values are one list', () => {
    const gold = {
      groups: [
        { of: 'x', words: { first: ['1', '2'], second: ['3'] } },
        { of: 'y', words: ['4'] },
      ],
    };
    const got = {
      groups: [
        { of: 'y', words: ['4', '5'] },
        { of: 'x', words: ['3', '2'] },
      ],
    };
    expect(sharesOf(got, gold, NESTED)).toEqual({ returned: 6, gold: 6, right: 5 });
  });

  it('tells answers where there is none from rows that there are not', () => {
    const gold = { name: null, rows: [{ a: '1', b: null, c: '3' }] };
    const got = {
      name: 'x',
      rows: [
        { a: '1', b: '2', c: '3' },
        { a: '8', b: '9', c: null },
      ],
    };
    const figures = figuresOf([judgeDocument(got, gold, ROWS)]);
    expect(figures).toMatchObject({
      answeredNulls: 2,
      goldNulls: 2,
      inExtraRows: 2,
      rows: { returned: 2, gold: 1, whole: 0 },
    });
  });

  it('leaves out what is not scored, and counts apart what nobody asked for', () => {
    const gold = { name: 'N', extra: ['p', 'q'], rows: [] };
    expect(sharesOf({ name: 'M' }, gold, ROWS, ['/name'])).toEqual({ returned: 0, gold: 0, right: 0 });
    expect(judgeDocument({ name: 'M' }, gold, ROWS).unasked).toBe(2);
  });

  it('misses what the gold has in another shape than the schema', () => {
    const got = { name: 'x', rows: [{ a: '1', b: null, c: null }] };
    expect(sharesOf(got, { name: ['x', 'y'], rows: ['1, 2, 3'] }, ROWS)).toEqual({ returned: 2, gold: 3, right: 0 });
    expect([...judgeDocument(got, { name: 'x', rows: ['1, 2, 3'] }, ROWS).misshapen]).toEqual(['/rows/*']);
    expect(judgeDocument(got, got, ROWS).misshapen.size).toBe(0);
  });

  it('looks into one more object around the whole than the schema has', () => {
    const got = { name: 'x', rows: [{ a: '1', b: null, c: null }] };
    const gold = { of: 'all', documents: [{ name: 'x', rows: [{ a: '1' }] }] };
    expect(sharesOf(got, gold, ROWS)).toEqual({ returned: 2, gold: 2, right: 2 });
    expect(sharesOf(got, { documents: [{ name: 'x' }, { name: 'x' }] }, ROWS)).toMatchObject({ gold: 0 });
  });

  it('counts each document alike, and each leaf alike beside it', () => {
    const whole = judgeDocument({ name: 'N' }, { name: 'N' }, ROWS);
    const lost = judgeDocument({}, { name: 'N', rows: [{ a: '1', b: '2', c: '3' }] }, ROWS);
    const figures = figuresOf([whole, lost]);
    expect(figures.f1).toBe(0.5);
    expect(figures.micro.f1).toBeCloseTo(2 / 6);
  });
});
