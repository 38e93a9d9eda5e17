import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { identifyProcess, isAlive, killProcess, listDescendants, startedAtMs } from './process-identity.js';
import { readProcessStat } from './process-stat.js';

describe('the identity of a process', () => {
  it('is its pid, start time and boot', () => {
    const own = identifyProcess(process.pid);
    if (own === undefined) throw new Error('this process has no identity');
    expect(isAlive(own)).toBe(true);
    expect(isAlive({ ...own, startTime: own.startTime - 1 })).toBe(false);
    expect(isAlive({ ...own, bootId: 'another' })).toBe(false);
    expect(Math.abs(startedAtMs(own) - (Date.now() - process.uptime() * 1000))).toBeLessThan(5_000);
  });

  it('does not kill another process under a reused pid', async () => {
    const child = spawn('/bin/sleep', ['30']);
    await once(child, 'spawn');
    const identity = identifyProcess(child.pid ?? 0);
    if (identity === undefined) throw new Error('the child has no identity');
    expect(killProcess({ ...identity, startTime: identity.startTime + 1 })).toBe(false);
    expect(isAlive(identity)).toBe(true);
    expect(listDescendants(process.pid)).toContain(child.pid);
    expect(killProcess(identity)).toBe(true);
    await once(child, 'exit');
    expect(killProcess(identity)).toBe(false);
    expect(readProcessStat(identity.pid)?.startTime).not.toBe(identity.startTime);
  });

  it('survives names with parentheses and blanks', async () => {
    const child = spawn('/bin/sh', ['-c', 'exec -a x sleep 30 2>/dev/null || sleep 30'], { argv0: ') S 1 (' });
    await once(child, 'spawn');
    expect(readProcessStat(child.pid ?? 0)?.parent).toBe(process.pid);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
});
