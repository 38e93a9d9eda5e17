import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';

/** Whether no worker of the host took the work in time: the host is lost (docs/design/sandbox.md). */
export function isHostLost(failure: unknown): boolean {
  return (
    failure instanceof ActivityFailure &&
    failure.cause instanceof TimeoutFailure &&
    failure.cause.timeoutType === 'SCHEDULE_TO_START'
  );
}

/** How long a host may take to show that it is still there. */
export function secondChanceMs(hostAwayMs: number): number {
  return Math.max(1000, hostAwayMs / 10);
}

/**
 * Offers work again that no worker took. The waiting time of a host goes on while the driver's own server is down, so after
 * a stop of the whole installation it may be over before any worker could come back.
 */
export function offerTwice<A extends unknown[], R>(
  offer: (...args: A) => Promise<R>,
  offerAgain: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await offer(...args);
    } catch (failure) {
      if (!isHostLost(failure)) throw failure;
      return offerAgain(...args);
    }
  };
}
