import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { OrphanGuard } from './orphan-guard.js';

function isRunning(pid: number): boolean {
  return spawnSync('kill', ['-0', String(pid)]).status === 0;
}

describe('the guard against orphans', () => {
  it('leaves processes alone that were forgotten, and all of them when it is dismissed', async () => {
    const child = spawn('sleep', ['30'], { detached: true, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const guard = new OrphanGuard();
    guard.watch(child.pid ?? 0);
    guard.dismiss();
    await delay(300);
    expect(isRunning(child.pid ?? 0)).toBe(true);
    child.kill('SIGKILL');
    await ended;
  });

  it('ends what it watches when its pipe breaks, also what ignores a polite signal', async () => {
    const child = spawn('sh', ['-c', 'trap "" TERM; echo deaf; while :; do sleep 0.1; done'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise<string>((resolve) => child.once('exit', (_code, signal) => resolve(String(signal))));
    const guard = new OrphanGuard();
    guard.watch(child.pid ?? 0);
    await once(child.stdout, 'data');
    guard.abandon();
    expect(await ended).toBe('SIGKILL');
  });
});
