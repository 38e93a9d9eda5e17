import { describe, expect, it } from '@jest/globals';
import type { Rule } from './rule.js';
import { isSame, scalarOf, type Scalar } from './same-value.js';

const DAY_FIRST: Rule = { by: 'date', dayFirst: true };
const MONTH_FIRST: Rule = { by: 'date', dayFirst: false };

const CASES: [rule: Rule, got: Scalar, gold: Scalar, same: boolean][] = [
  [{ by: 'exact' }, 'Fee', 'fee', false],
  [{ by: 'caseless' }, 'Fee', 'fee', true],
  [{ by: 'letters' }, '#AB-12 34', 'ab1234', true],
  [{ by: 'letters' }, 'AB 12', 'AB 13', false],
  [{ by: 'similar' }, 'Northern  Trust Company', 'northern trust company,', true],
  [{ by: 'similar' }, 'Northern Trust', 'Southern Bank', false],
  [{ by: 'similar' }, 'abcde', 'abcdX', true],
  [{ by: 'similar' }, 'abcd', 'abcX', false],
  [DAY_FIRST, '03/02/2018', '2018-02-03', true],
  [MONTH_FIRST, '03/02/2018', '2018-03-02', true],
  [DAY_FIRST, '3 Feb 18', '2018-02-03', true],
  [DAY_FIRST, 'February 3, 2018', '03-02-2018', true],
  [DAY_FIRST, '2018-02-03', '2018-02-04', false],
  [DAY_FIRST, 'soon', 'Soon.', true],
  [{ by: 'number', within: 0.005 }, 12.004, 12, true],
  [{ by: 'number', within: 0.005 }, 12.01, 12, false],
  [{ by: 'number', within: 0.005 }, 'RM 1,212.00', '1212.00', true],
  [{ by: 'number', within: 0.001 }, '33–37', '33–37', true],
  [{ by: 'integer' }, '7', 7, true],
  [{ by: 'boolean' }, true, true, true],
  [{ by: 'boolean' }, false, true, false],
];

describe('a value beside the right one', () => {
  it.each(CASES)('%j: %j beside %j is the same: %j', (rule, got, gold, same) => {
    expect(isSame(got, gold, [rule])).toBe(same);
  });

  it('is the same where one of several rules says so', () => {
    expect(isSame('2015', 2015, [{ by: 'exact' }, { by: 'integer' }])).toBe(true);
  });

  it('does not count where it is null or empty; false and zero count', () => {
    expect([null, '', ' ', undefined, [], {}].map(scalarOf)).toEqual([null, null, null, null, null, null]);
    expect([false, 0, 'x'].map(scalarOf)).toEqual([false, 0, 'x']);
  });
});
