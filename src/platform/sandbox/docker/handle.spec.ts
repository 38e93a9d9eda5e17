import { describe, expect, it } from '@jest/globals';
import { fromHandle, isSame, toHandle } from './handle.js';

const ID = '0123456789abcdef'.repeat(4);

describe('a handle of a container', () => {
  it('is plain JSON that finds the container again, and which of its starts', () => {
    const handle = toHandle('run-1', { id: ID, startedAt: 42 });
    const read = fromHandle(JSON.parse(JSON.stringify(handle)) as typeof handle);
    expect(read).toEqual({ runId: 'run-1', id: ID, startedAt: 42 });
    expect(isSame(read, { id: ID, startedAt: 42 })).toBe(true);
    expect(isSame(read, { id: ID, startedAt: 43 })).toBe(false);
  });

  it.each([
    { runtime: 'bubblewrap', external_id: ID, attrs: { run: 'r', start_time: 1 } },
    { runtime: 'docker', external_id: '../containers', attrs: { run: 'r', start_time: 1 } },
    { runtime: 'docker', external_id: ID, attrs: { run: 'r' } },
  ])('of another provider, or of nobody, is refused (%#)', (handle) => {
    expect(() => fromHandle(handle)).toThrow('this is not a handle of the docker provider');
  });
});
