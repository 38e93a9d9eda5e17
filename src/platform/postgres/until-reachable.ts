import { setTimeout as delay } from 'node:timers/promises';
import { SandgateError } from '../../domain/errors.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Repeats idempotent database work while the database is unreachable, for up to `withinMs`; for callers that hold something that
 * would be lost otherwise.
 *
 * @throws what the work throws, `unavailable` when the time is over
 */
export async function untilReachable<T>(withinMs: number, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (cause) {
      const away = cause instanceof SandgateError && cause.code === 'unavailable';
      if (!away || Date.now() + pauseMs > deadline) throw cause;
      await delay(pauseMs);
    }
  }
}
