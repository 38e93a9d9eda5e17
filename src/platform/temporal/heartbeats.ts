import { Context } from '@temporalio/activity';

const HEARTBEATS_WITHIN_TIMEOUT = 3;

/**
 * The longest for which a worker may hold a heartbeat back, in milliseconds. {@link whileHeartbeating} paces them already; by itself a worker
 * holds them back until four fifths of the time-out are over.
 */
export const HEARTBEAT_THROTTLE_MS = 100;

/** Where an activity stands among its attempts. */
export interface AttemptFacts {
  /** Of this attempt, from 1. */
  attempt: number;
  /** Since the activity was asked for, all attempts together. */
  ageMs: number;
}

/**
 * Runs `work` while heartbeating often enough for the activity's time-out, and hands it a signal that aborts when the
 * activity is cancelled or its worker stops, and where it stands among its attempts. Heartbeats carry no data: they tell Temporal that the
 * worker lives, and they bring cancellation. The worker may pause for two thirds of the time-out, or not reach Temporal for as long, and
 * the activity goes on.
 */
export async function whileHeartbeating<T>(work: (signal: AbortSignal, at: AttemptFacts) => Promise<T>): Promise<T> {
  const context = Context.current();
  const { attempt, scheduledTimestampMs, heartbeatTimeoutMs = 0 } = context.info;
  const intervalMs = Math.max(HEARTBEAT_THROTTLE_MS, heartbeatTimeoutMs / HEARTBEATS_WITHIN_TIMEOUT);
  const timer = setInterval(() => context.heartbeat(), intervalMs);
  try {
    return await work(context.cancellationSignal, { attempt, ageMs: Date.now() - scheduledTimestampMs });
  } finally {
    clearInterval(timer);
  }
}
