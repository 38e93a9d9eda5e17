import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { OrphanGuard } from './orphan-guard.js';
import { SupervisedProcess } from './supervised-process.js';

describe('a part of the installation', () => {
  it('CP-289 leaves no core file, in which its keys and credentials would be, when it crashes', async () => {
    const logs = mkdtempSync(join(tmpdir(), 'sandgate-part-'));
    const guard = new OrphanGuard();
    const part = new SupervisedProcess({
      name: 'part',
      logs,
      guard,
      launch: () => ({ argv: ['/bin/sleep', '30'], env: {}, channel: false }),
      ready: () => Promise.resolve(),
      stopSignal: 'SIGTERM',
      notify: () => undefined,
    });
    try {
      await part.start();
      const limits = (): string => readFileSync(`/proc/${part.pid}/limits`, 'utf8');
      // Hard and soft: nobody below can raise it again. The shell sets it before it becomes the part.
      const NO_CORE = /^Max core file size +0 +0 +bytes/m;
      for (const deadline = Date.now() + 60_000; !NO_CORE.test(limits()) && Date.now() < deadline;) await delay(5);
      expect(limits()).toMatch(NO_CORE);
    } finally {
      await part.stop(500);
      guard.dismiss();
      rmSync(logs, { recursive: true });
    }
  });
});
