import { describe, expect, it } from '@jest/globals';
import { dueFiring, fireTimeOf, slotKey } from './firing.js';

const SLOT = new Date('2026-03-09T06:30:00Z');
const skip = { nextFireAt: SLOT, missedRunPolicy: 'skip' } as const;
const catchUp = { nextFireAt: SLOT, missedRunPolicy: 'catch_up' } as const;
const late = (ms: number): Date => new Date(SLOT.getTime() + ms);

describe('a due firing', () => {
  it('proof 8: waits until its time, to the millisecond', () => {
    expect(dueFiring(skip, late(-1))).toEqual({ action: 'wait', waitMs: 1 });
    expect(dueFiring(catchUp, late(-90_000))).toEqual({ action: 'wait', waitMs: 90_000 });
    expect(dueFiring({ ...skip, nextFireAt: null }, SLOT)).toEqual({ action: 'wait', waitMs: null });
  });

  it.each([0, 1, 30_000])('proof 8: fires under either policy when it is %d ms late', (ms) => {
    for (const clock of [skip, catchUp])
      expect(dueFiring(clock, late(ms))).toEqual({ action: 'run', slot: SLOT, catchUp: false });
  });

  it.each([30_001, 86_400_000])('CP-107 CP-164 proof 8: is missed when it is %d ms late', (ms) => {
    expect(dueFiring(skip, late(ms))).toEqual({ action: 'skip', slot: SLOT });
    expect(dueFiring(catchUp, late(ms))).toEqual({ action: 'run', slot: SLOT, catchUp: true });
  });

  it('proof 8: a slot is named by its nominal time in whole seconds of UTC', () => {
    expect(fireTimeOf(SLOT)).toBe('2026-03-09T06:30:00Z');
    expect(slotKey(SLOT)).toBe('sched:2026-03-09T06:30:00Z');
  });
});
