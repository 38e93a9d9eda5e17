import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readProcessStat } from '../platform/host/process-stat.js';
import { until } from '../../test/support/time/until.js';
import { killPostgresLeftovers } from './postgres-processes.js';

describe('what is left of an earlier PostgreSQL', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandgate-postgres-'));
    copyFileSync('/bin/sleep', join(folder, 'postgres'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('a server that still runs is ended', async () => {
    const server = spawn(join(folder, 'postgres'), ['30'], { cwd: folder, stdio: 'ignore' });
    const ended = once(server, 'exit');
    await killPostgresLeftovers(folder, 60_000);
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('a dead postmaster is waited for until it is reaped', async () => {
    // The second program of the shell never waits for its child, so that it stays unreaped until both are gone.
    const parent = spawn('/bin/sh', ['-c', './postgres 600 & echo $!; exec cat'], { cwd: folder });
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(said.toString());
    // Each of the two is the shell itself before it becomes its program.
    const areThere = () =>
      readProcessStat(parent.pid ?? 0)?.command === 'cat' && readProcessStat(pid)?.command === 'postgres';
    expect(await until(areThere, (are) => are)).toBe(true);
    process.kill(pid, 'SIGKILL');
    const isDead = () => readProcessStat(pid)?.state === 'Z';
    expect(await until(isDead, (is) => is)).toBe(true);
    writeFileSync(join(folder, 'postmaster.pid'), `${pid}\n${folder}\n`);
    let over = false;
    const killing = killPostgresLeftovers(folder, 60_000).then(() => (over = true));
    await delay(50);
    expect(over).toBe(false);
    parent.stdin.end();
    await killing;
    expect(() => readFileSync(`/proc/${pid}/stat`)).toThrow();
  });
});
