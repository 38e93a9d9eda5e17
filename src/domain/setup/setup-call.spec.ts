import { describe, expect, it } from '@jest/globals';
import { namedCommand, setupCallId } from './setup-call.js';

describe('a setup command', () => {
  it('has the same id whenever it is asked for', () => {
    expect([setupCallId(0), setupCallId(31)]).toEqual(['setup_001', 'setup_032']);
  });

  it('is named on one line, and a long one is cut', () => {
    expect(namedCommand(['a', ' npm \\\n  ci\t'], 1)).toBe('command 2 of 2 (npm \\ ci)');
    expect(namedCommand(['x'.repeat(300)], 0)).toBe(`command 1 of 1 (${'x'.repeat(120)}…)`);
    expect(namedCommand([`${'x'.repeat(119)}\u{1f600}`], 0).isWellFormed()).toBe(true);
  });
});
