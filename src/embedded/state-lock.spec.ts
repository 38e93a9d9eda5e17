import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isAlive, ownIdentity } from './process-identity.js';
import { StateLock, readInstance, readLiveInstance } from './state-lock.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandgate-lock-'));
  path = join(folder, 'supervisor.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the lock of a state folder', () => {
  it('is refused while its holder lives, and names the holder', () => {
    StateLock.acquire(path);
    expect(() => StateLock.acquire(path)).toThrow(`process ${process.pid} holds`);
  });

  it('is taken over from a dead holder, from a used-again pid and from a broken file', () => {
    const dead = spawnSync('true').pid;
    for (const content of [
      JSON.stringify({ pid: dead, startTime: '1' }),
      JSON.stringify({ ...ownIdentity(), startTime: '1' }),
      '{',
    ]) {
      writeFileSync(path, content);
      const lock = StateLock.acquire(path);
      expect(readInstance(path)?.pid).toBe(process.pid);
      lock.release();
    }
  });

  it('describes the installation to the command line and leaves nothing behind', () => {
    const lock = StateLock.acquire(path);
    lock.describe({ url: 'http://127.0.0.1:1' });
    expect(readLiveInstance(path)).toMatchObject({ url: 'http://127.0.0.1:1', pid: process.pid });
    lock.release();
    expect(readLiveInstance(path)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('tells a process from a later one of the same pid', () => {
    expect(isAlive(ownIdentity())).toBe(true);
    expect(isAlive({ ...ownIdentity(), startTime: '1' })).toBe(false);
  });
});
