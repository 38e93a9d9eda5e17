import { Context } from '@temporalio/activity';

const HEARTBEATS_WITHIN_TIMEOUT = 3;

/**
 * The longest for which a worker may hold a heartbeat back, in milliseconds. {@link startHeartbeats} paces them already; by itself a worker
 * holds them back until four fifths of the time-out are over.
 */
export const HEARTBEAT_THROTTLE_MS = 100;

/**
 * Heartbeats for the present activity until the timer is cleared. They carry no data: they tell Temporal that the worker lives, and they
 * bring cancellation. The worker may pause for two thirds of the time-out, or not reach Temporal for as long, and the activity goes on.
 */
export function startHeartbeats(): NodeJS.Timeout {
  const context = Context.current();
  const { heartbeatTimeoutMs = 0 } = context.info;
  const intervalMs = Math.max(HEARTBEAT_THROTTLE_MS, heartbeatTimeoutMs / HEARTBEATS_WITHIN_TIMEOUT);
  return setInterval(() => context.heartbeat(), intervalMs);
}
