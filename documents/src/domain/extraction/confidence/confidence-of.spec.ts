import { describe, expect, it } from '@jest/globals';
import type { Signals } from '../model/signals.js';
import { CLAIMS, claimOf, confidenceOf } from './confidence-of.js';

const GOOD: Signals = { read: 0.99, find: 0.98, fit: 1, agree: 0.9, ground: 1 };

describe('confidenceOf', () => {
  it('tells fields of the document from those in items of lists, and values from nulls', () => {
    expect([claimOf(false, '/total'), claimOf(true, '/seller/name')]).toEqual(['value', 'none']);
    expect([claimOf(false, '/lines/12/amount'), claimOf(true, '/keywords/0')]).toEqual(['itemValue', 'itemNone']);
  });

  it.each(CLAIMS)('never falls as a signal of %s rises', (claim) => {
    for (const name of ['read', 'find', 'fit', 'agree', 'ground'] as const) {
      const by = [0.3, 0.6, 0.9].map((value) => confidenceOf(claim, { ...GOOD, [name]: value }));
      expect(by).toEqual([...by].sort((one, other) => one - other));
    }
  });

  it.each(['value', 'itemValue'] as const)('holds down a %s that has one bad sign, whatever the weights', (claim) => {
    const sure = { bias: 9, odds: 1, read: 1, find: 1, fit: 1, agree: 1, ground: 1 };
    const weights = { value: sure, none: sure, itemValue: sure, itemNone: sure };
    const said = (signals: Partial<Signals>): number => confidenceOf(claim, { ...GOOD, ...signals }, weights);
    expect([said({}) > 0.99, said({ ground: 0.2 }), said({ fit: 0 }), said({ read: 0.4 })]).toEqual([
      true,
      0.6,
      0.3,
      0.7,
    ]);
  });
});
