import { Context } from '@temporalio/activity';
import { startHeartbeats } from '../platform/temporal/heartbeats.js';

/** Where an activity stands among its attempts. */
export interface AttemptFacts {
  /** Of this attempt, from 1. */
  attempt: number;
  /** Since the activity was asked for, all attempts together. */
  ageMs: number;
}

/**
 * Runs `work` while heartbeating often enough for the activity's time-out, and hands it a signal that aborts when the
 * activity is cancelled or its worker stops, and where it stands among its attempts.
 */
export async function whileHeartbeating<T>(work: (signal: AbortSignal, at: AttemptFacts) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = startHeartbeats();
  try {
    const { attempt, scheduledTimestampMs } = context.info;
    return await work(context.cancellationSignal, { attempt, ageMs: Date.now() - scheduledTimestampMs });
  } finally {
    clearInterval(timer);
  }
}
