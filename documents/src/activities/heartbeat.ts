import { Context } from '@temporalio/activity';
import { heartbeatIntervalMs } from '../../../src/platform/temporal/heartbeat-interval.js';

/**
 * Runs `work` while heartbeating often enough for the activity's time-out, and hands it a signal that aborts when the activity is cancelled or
 * its worker stops.
 */
export async function whileHeartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), heartbeatIntervalMs(context.info.heartbeatTimeoutMs));
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
