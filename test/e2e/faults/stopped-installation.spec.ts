import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import { LiveStack, QUICK_MAINTENANCE } from '../../support/installation/live-stack.js';

const HOST_GONE_MS = 3000;
const ENV = { ...QUICK_MAINTENANCE, SERVICE_TIMING_HOST_GONE_MS: String(HOST_GONE_MS) };

describe('an installation that is stopped and started again', () => {
  let stack: LiveStack | undefined;

  afterEach(() => stack?.stop(), 120_000);

  it(
    'finds its sandboxes alive, also when it was away for longer than a lost host is waited for',
    async () => {
      stack = await LiveStack.start(ENV);
      await stack.createReplayAgent('patient');
      const command = `python3 -c 'import time; time.sleep(${(3 * HOST_GONE_MS) / 1000})'; echo done > done.txt`;
      const run = await stack.startRun('patient', [{ tool: 'Bash', input: { command } }]);
      await stack.untilStatus(run, 'running');
      await stack.installation.stop('leave', AbortSignal.timeout(30_000));
      // The time must really pass, so that Temporal finds it over when it comes back.
      await delay(2 * HOST_GONE_MS);
      stack = await LiveStack.start(ENV, stack.dataDir);
      const session = await stack.untilTerminal(run);
      expect([session.status, session.status_reason]).toEqual(['completed', 'the runner reported its result']);
      const timeline = await stack.timeline(run);
      expect(timeline.filter(({ type }) => type === 'artifact.missing' || type === 'run.error')).toEqual([]);
    },
    MAKE_WITHIN_MS,
  );
});
