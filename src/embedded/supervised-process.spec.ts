import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OrphanGuard } from './orphan-guard.js';
import { SupervisedProcess, type Launch } from './supervised-process.js';

const GRACE_MS = 60_000;

describe('a part of the installation', () => {
  let logs: string;
  let guard: OrphanGuard;
  const notices: string[] = [];

  beforeEach(() => {
    logs = mkdtempSync(join(tmpdir(), 'sandgate-part-'));
    guard = new OrphanGuard();
    notices.length = 0;
  });
  afterEach(() => {
    guard.dismiss();
    rmSync(logs, { recursive: true });
  });

  function partOf(...argv: Launch['argv']): SupervisedProcess {
    return new SupervisedProcess({
      name: 'part',
      logs,
      guard,
      launch: () => ({ argv, env: {}, channel: false }),
      ready: () => Promise.resolve(),
      stopSignal: 'SIGTERM',
      notify: (line) => notices.push(line),
    });
  }

  it('CP-289 leaves no core file, in which its keys and credentials would be, when it crashes', async () => {
    const part = partOf('/bin/sleep', '30');
    try {
      await part.start();
      const limits = (): string => readFileSync(`/proc/${part.pid}/limits`, 'utf8');
      // Hard and soft: nobody below can raise it again. The shell sets it before it becomes the part.
      const NO_CORE = /^Max core file size +0 +0 +bytes/m;
      for (const deadline = Date.now() + 60_000; !NO_CORE.test(limits()) && Date.now() < deadline;) await delay(5);
      expect(limits()).toMatch(NO_CORE);
    } finally {
      await part.stop(GRACE_MS);
    }
  });

  it('keeps its supervisor no longer than it lives itself, whatever its grace', async () => {
    const before = timers();
    const part = partOf('/bin/sleep', '30');
    await part.start();
    await part.stop(GRACE_MS);
    expect(timers()).toBe(before);
  });

  it('says with its end what it wrote last', async () => {
    const part = partOf('/bin/sh', '-c', 'echo the reason; exit 3');
    await part.start();
    while (notices.length === 0) await delay(5);
    await part.stop(GRACE_MS);
    expect(notices[0]).toMatch(/ended \(exit code 3\); starting it again\. The end of \S+\.log:\n {4}the reason$/);
  });

  it('is not waited for when it is stopped while it waits to be started again', async () => {
    const before = timers();
    const part = partOf('/bin/false');
    await part.start();
    // The third time, 0.7 s before the next one.
    while (notices.filter((line) => line.includes('starting it again')).length < 3) await delay(5);
    await part.stop(GRACE_MS);
    expect(timers()).toBe(before);
    const told = notices.length;
    await delay(1000);
    expect(notices).toHaveLength(told);
  });
});

/** Those that keep this process alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
