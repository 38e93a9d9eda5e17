import { Context } from '@temporalio/activity';

/**
 * Runs `work` while heartbeating often enough for the activity's time-out, and hands it a signal that aborts when the activity is cancelled or
 * its worker stops.
 */
export async function whileHeartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const intervalMs = Math.max(100, (context.info.heartbeatTimeoutMs ?? 10_000) / 3);
  const timer = setInterval(() => context.heartbeat(), intervalMs);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
