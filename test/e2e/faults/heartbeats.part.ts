import { beforeAll, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { runWorkflowId } from '../../../src/workflows/messages.js';
import type { LiveStack } from '../../support/installation/live-stack.js';
import type { EnterStack } from '../../support/installation/share-stack.js';
import { hearsHeartbeatsWithin } from '../../support/temporal/heard-heartbeats.js';

/** Half of the time-out that activities have in tests. */
const HALF_MS = 1000;

/** What Temporal hears of an activity that goes on. */
export function heartbeatsInTime(enter: EnterStack): void {
  let stack: LiveStack;
  beforeAll(async () => {
    stack = await enter();
    await stack.createReplayAgent('long-lived');
  });

  it('is two heartbeats within half of its time-out, so that a short pause does not begin it anew', async () => {
    const run = await stack.startRun('long-lived', [{ tool: 'Bash', input: { command: 'sh deploy.sh' } }]);
    const approval = await stack.pendingApproval(run);
    const connection = await Connection.connect({ address: stack.installation.temporalAddress });
    try {
      const workflow = new Client({ connection }).workflow.getHandle(runWorkflowId(run));
      await stack.until('two heartbeats', 60_000, hearsHeartbeatsWithin(HALF_MS, workflow));
    } finally {
      await connection.close();
    }
    await stack.decide(approval.id, 'denied');
    expect((await stack.untilTerminal(run)).status).toBe('completed');
  });
}
