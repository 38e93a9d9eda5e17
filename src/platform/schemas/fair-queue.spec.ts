import { describe, expect, it } from '@jest/globals';
import { FairQueue } from './fair-queue.js';

describe('a fair queue', () => {
  it('gives every owner his turn, and each his oldest entry', () => {
    const queue = new FairQueue<string>();
    for (const entry of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(entry.slice(0, 1), entry);
    expect([queue.take(), queue.take()]).toEqual(['a1', 'b1']);
    queue.push('b', 'b2');
    const rest = Array.from({ length: 6 }, () => queue.take());
    expect(rest).toEqual(['c1', 'a2', 'b2', 'c2', 'a3', undefined]);
  });
});
