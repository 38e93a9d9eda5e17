import { Context } from '@temporalio/activity';
import { startHeartbeats } from '../../../src/platform/temporal/heartbeats.js';

/**
 * Runs `work` while heartbeating often enough for the activity's time-out, and hands it a signal that aborts when the activity is cancelled or
 * its worker stops.
 */
export async function whileHeartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const timer = startHeartbeats();
  try {
    return await work(Context.current().cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
