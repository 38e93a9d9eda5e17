import { describe, expect, it } from '@jest/globals';
import { parseDecision } from './decision.js';

describe('parseDecision', () => {
  it('CP-201 reads the three words and their older names', () => {
    expect(['approved_once', 'approve', 'allow'].map((decision) => parseDecision({ decision }))).toEqual(
      Array(3).fill('approved_once'),
    );
    expect(parseDecision({ decision: 'approved_session' })).toBe('approved_session');
    expect(['denied', 'deny'].map((decision) => parseDecision({ decision }))).toEqual(['denied', 'denied']);
  });

  it('CP-202 refuses everything else', () => {
    for (const body of [
      undefined,
      null,
      [],
      'denied',
      {},
      { decision: null },
      { decision: 'expired' },
      { decision: ['denied'] },
    ]) {
      expect(() => parseDecision(body)).toThrow();
    }
  });
});
