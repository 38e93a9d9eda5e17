import { describe, expect, it } from '@jest/globals';
import { EventWindow } from './event-window.js';

const frames = (from: number, to: number, text = 'x') =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ seq: from + index, bytes: Buffer.from(text) }));
const seqs = (list: readonly { seq: number }[] | null) => list?.map((frame) => frame.seq) ?? null;

describe('EventWindow', () => {
  it('CP-197 answers what follows a seq, once, and nothing that it does not have', () => {
    const window = new EventWindow(10);
    window.push(frames(11, 13));
    window.push(frames(12, 14));
    expect(window.head).toBe(14);
    expect(seqs(window.after(10))).toEqual([11, 12, 13, 14]);
    expect(seqs(window.after(13))).toEqual([14]);
    expect(seqs(window.after(14))).toEqual([]);
    expect(seqs(window.after(99))).toEqual([]);
    expect(window.after(9)).toBeNull();
  });

  it('never skips a seq', () => {
    const window = new EventWindow(0);
    window.push(frames(2, 3));
    expect(window.head).toBe(0);
  });

  it('stays bounded in number and in size', () => {
    const window = new EventWindow(0);
    window.push(frames(1, 2000));
    expect(window.after(1487)).toBeNull();
    expect(window.after(1488)).toHaveLength(512);
    window.push(frames(2001, 2003, 'y'.repeat(400_000)));
    expect(seqs(window.after(2002))).toEqual([2003]);
    expect(window.after(2001)).toBeNull();
  });
});
