import { describe, expect, it } from '@jest/globals';
import { RunLimits } from './run-limits.js';

describe('limits of a run', () => {
  it('CP-026 count what goes on per run and give places back once', () => {
    const limits = new RunLimits();
    const first = limits.enter('a', 'model_requests', 2);
    const second = limits.enter('a', 'model_requests', 2);
    expect(limits.enter('a', 'model_requests', 2)).toBeNull();
    expect(limits.enter('b', 'model_requests', 2)).not.toBeNull();
    first?.();
    first?.();
    expect(limits.enter('a', 'model_requests', 2)).not.toBeNull();
    expect(limits.enter('a', 'model_requests', 2)).toBeNull();
    second?.();
  });

  it('CP-026 let a burst through and then a steady rate', () => {
    const limits = new RunLimits();
    for (let i = 0; i < 200; i += 1) expect(limits.takeEvent('a', 20, 200, 0)).toBeNull();
    expect(limits.takeEvent('a', 20, 200, 0)).toBe(50);
    expect(limits.takeEvent('a', 20, 200, 50)).toBeNull();
    expect(limits.takeEvent('a', 20, 200, 51)).toBeGreaterThan(0);
    expect(limits.takeEvent('b', 20, 200, 51)).toBeNull();
  });
});
