import { describe, expect, it } from '@jest/globals';
import { compareSnapshots, type ComparedSnapshot } from './snapshot-changes.js';

const snapshot = (protocolVersion: string, tools: Record<string, string>): ComparedSnapshot => ({
  protocolVersion,
  tools: Object.entries(tools).map(([name, definition_digest]) => ({ name, definition_digest })),
});

describe('what a refresh reports', () => {
  it('names tools that came, went and changed, and another protocol version', () => {
    const before = snapshot('2025-06-18', { kept: 'a', edited: 'b', gone: 'c' });
    const after = snapshot('2025-11-25', { fresh: 'd', edited: 'x', kept: 'a' });
    expect(compareSnapshots(before, after)).toEqual({
      added: ['fresh'],
      removed: ['gone'],
      changed: ['edited'],
      protocol: { from: '2025-06-18', to: '2025-11-25' },
    });
  });

  it('says nothing of another order', () => {
    const before = snapshot('2025-11-25', { a: '1', b: '2' });
    const after = snapshot('2025-11-25', { b: '2', a: '1' });
    expect(compareSnapshots(before, after)).toEqual({ added: [], removed: [], changed: [], protocol: null });
  });
});
