/** Spread of a wait, so that a receiver that comes back does not get everything at once. */
const JITTER = 0.1;

/**
 * How long to wait after a failed attempt, or null when it was the last one (CP-297).
 *
 * @param waitsMs between two attempts; there is one attempt more
 * @param attempt the one that failed, from 1
 * @param random in [0, 1), of whoever waits
 */
export function waitAfter(waitsMs: readonly number[], attempt: number, random: number): number | null {
  const wait = waitsMs[attempt - 1];
  return wait === undefined ? null : Math.round(wait * (1 - JITTER + 2 * JITTER * random));
}
