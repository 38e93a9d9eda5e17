const LONGEST_MS = 250;
/** Of the time waited so far: about what the last pause may add to it. */
const SHARE = 0.1;

/**
 * How long to pause before looking again for what is waited for. Each look costs as much processor time as it asks for, at an
 * installation seven milliseconds, so the longer it has taken the rarer they are.
 */
export function pauseAfter(waitedMs: number, shortestMs: number): number {
  return Math.min(Math.max(waitedMs * SHARE, shortestMs), LONGEST_MS);
}
