import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES, SandgateError } from '../errors.js';
import { classifyLaunchProblem, requeueDelaySecs } from './launch-attempts.js';

const system = (code: string) => Object.assign(new Error('refused by the system'), { code });

describe('a launch that failed', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])('with %s found its host full', (code) => {
    expect(classifyLaunchProblem(system(code))).toBe('out_of_capacity');
    const wrapped = new SandgateError('sandbox_failed', 'the sandbox could not be launched', { cause: system(code) });
    expect(classifyLaunchProblem(wrapped)).toBe('out_of_capacity');
  });

  it('is told apart by its code', () => {
    const kinds = Object.fromEntries(
      ERROR_CODES.map((code) => [code, classifyLaunchProblem(new SandgateError(code, 'why'))]),
    );
    expect(kinds).toMatchObject({ out_of_capacity: 'out_of_capacity', unavailable: 'outage' });
    expect(kinds).toMatchObject({ sandbox_failed: 'fault', upstream_failed: 'fault' });
    const refused = Object.keys(kinds).filter((code) => kinds[code] === 'refused');
    expect(refused).toHaveLength(ERROR_CODES.length - 4);
    expect(classifyLaunchProblem(system('EIO'))).toBe('fault');
    expect(classifyLaunchProblem('thrown')).toBe('fault');
  });

  it('waits twice as long each time, at most an hour', () => {
    expect([1, 2, 3, 4].map((attempts) => requeueDelaySecs(attempts, 5))).toEqual([5, 10, 20, 40]);
    expect(requeueDelaySecs(100, 3600)).toBe(3600);
  });
});
