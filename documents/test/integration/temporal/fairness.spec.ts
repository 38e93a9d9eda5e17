import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createNamespace, type OwnNamespace } from '../../support/temporal/own-namespace.js';

const QUEUE = 'fairness';
const FLOOD = 30;

describe('the Temporal server that is brought', () => {
  let temporal: OwnNamespace;

  beforeAll(async () => {
    temporal = await createNamespace();
  });
  afterAll(() => temporal.close());

  const start = (workflowId: string, fairnessKey: string): Promise<unknown> =>
    temporal.client.workflow.start('nothing', { workflowId, taskQueue: QUEUE, priority: { fairnessKey } });

  /** Takes a task of the queue, as a worker does. */
  const poll = () =>
    temporal.client.connection.withDeadline(Date.now() + 60_000, () =>
      temporal.client.workflowService.pollWorkflowTaskQueue({
        namespace: temporal.namespace,
        taskQueue: { name: QUEUE },
        identity: 'spec',
      }),
    );

  it('takes turns between the keys of a queue: whoever comes late does not wait behind a flood', async () => {
    for (let number = 0; number < FLOOD; number += 1) await start(`flood-${number}`, 'loud');
    for (const name of ['late-1', 'late-2']) await start(name, 'quiet');
    const order: string[] = [];
    while (order.length < FLOOD + 2) {
      const { workflowExecution } = await poll();
      if (workflowExecution?.workflowId != null) order.push(workflowExecution.workflowId);
    }
    const places = ['late-1', 'late-2'].map((name) => order.indexOf(name));
    expect(Math.max(...places)).toBeLessThan(FLOOD / 2);
  });
});
