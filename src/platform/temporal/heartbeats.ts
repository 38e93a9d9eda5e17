const HEARTBEATS_WITHIN_TIMEOUT = 3;
/** Activities heartbeat for the sake of their cancellation too, also those without a time-out. */
const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Milliseconds between two heartbeats of an activity. Its process may pause for two thirds of the time-out, or Temporal be away for as
 * long, and the activity is not begun again. A worker must be told this interval too: by itself it holds heartbeats back until four
 * fifths of the time-out are over.
 */
export function heartbeatIntervalMs(timeoutMs = DEFAULT_TIMEOUT_MS): number {
  return timeoutMs / HEARTBEATS_WITHIN_TIMEOUT;
}
