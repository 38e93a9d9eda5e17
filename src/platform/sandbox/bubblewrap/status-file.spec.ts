import { describe, expect, it } from '@jest/globals';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileWatch, parseStatus, readStatus } from './status-file.js';

describe('the status of a launch', () => {
  it('is read from one document a line', () => {
    expect(parseStatus('')).toEqual({ childPid: null, exitCode: null });
    expect(parseStatus('{ "child-pid": 12, "net-namespace": 4026 }\n')).toEqual({ childPid: 12, exitCode: null });
    expect(parseStatus('{ "child-pid": 12 }\n{ "exit-code": 0 }\n')).toEqual({ childPid: 12, exitCode: 0 });
  });

  it('leaves an unfinished line for the next read', () => {
    expect(parseStatus('{ "child-pid": 12 }\n{ "exit-c')).toEqual({ childPid: 12, exitCode: null });
  });

  it('is empty where there is no file', async () => {
    expect(await readStatus('/nowhere/status')).toEqual({ childPid: null, exitCode: null });
  });
});

describe('a watched file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandgate-watch-'));
  const path = join(folder, 'status');

  it('wakes at a change, at the time-out, and when the waiting is called off', async () => {
    writeFileSync(path, '');
    {
      using watch = new FileWatch(path);
      const changed = watch.next(300_000);
      appendFileSync(path, 'x');
      await changed;
      await watch.next(20);
      const controller = new AbortController();
      const aborted = watch.next(300_000, controller.signal);
      controller.abort();
      await aborted;
    }
    rmSync(folder, { recursive: true });
  });
});
