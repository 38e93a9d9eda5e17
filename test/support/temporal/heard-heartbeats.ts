import type { WorkflowHandle } from '@temporalio/client';

/**
 * Whether Temporal has heard two heartbeats, of the one activity that a workflow waits for, less than so many milliseconds after each
 * other. The answer is for polling, quicker than the heartbeats come.
 */
export function hearsHeartbeatsWithin(limitMs: number, workflow: WorkflowHandle): () => Promise<true | undefined> {
  let last: number | undefined;
  return async () => {
    const heard = (await workflow.describe()).raw.pendingActivities?.[0]?.lastHeartbeatTime;
    if (heard?.seconds === undefined) return undefined;
    const at = Number(heard.seconds) * 1000 + Math.floor((heard.nanos ?? 0) / 1e6);
    const before = last;
    last = at;
    return before !== undefined && at > before && at - before < limitMs ? true : undefined;
  };
}
