import type { WorkflowHandle } from '@temporalio/client';

const HEARTBEATS = 4;

/**
 * Milliseconds between the two heartbeats, of a few, that Temporal heard soonest after each other; of the one activity that a workflow
 * waits for.
 *
 * @param until polls, for as long as the activity may take to send them
 */
export async function shortestHeartbeatGap(
  workflow: WorkflowHandle,
  until: (look: () => Promise<true | undefined>) => Promise<unknown>,
): Promise<number> {
  const heard = new Set<number>();
  await until(async () => {
    const at = (await workflow.describe()).raw.pendingActivities?.[0]?.lastHeartbeatTime;
    if (at?.seconds !== undefined) heard.add(Number(at.seconds) * 1000 + Math.floor((at.nanos ?? 0) / 1e6));
    return heard.size < HEARTBEATS ? undefined : true;
  });
  const times = [...heard];
  return Math.min(...times.slice(1).map((at, index) => at - (times[index] ?? at)));
}
