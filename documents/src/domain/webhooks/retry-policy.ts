export const STRATEGIES = ['standard', 'exponential', 'fixed'] as const;

/** How a webhook is tried again (DI-024). Members that are left out have the defaults below. */
export interface RetryPolicy {
  strategy: (typeof STRATEGIES)[number];
  maxAttempts?: number;
  initialSeconds?: number;
  maxSeconds?: number;
}

export const MAX_ATTEMPTS = 12;
/** The longest wait that a policy, or the `Retry-After` of a receiver, can ask for. */
export const MAX_WAIT_SECONDS = 86_400;
const MAX_RETRY_AFTER_SECONDS = 3600;

const MINUTE = 60;
const HOUR = 3600;
/** Before the second attempt, the third, and so on. */
const STANDARD_WAITS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
const DEFAULT_ATTEMPTS = { standard: STANDARD_WAITS.length + 1, exponential: 8, fixed: 5 };
const DEFAULT_INITIAL_SECONDS = { exponential: 5, fixed: 60 };
const DEFAULT_MAX_SECONDS = 10 * HOUR;
/** Waits are spread by this share in both directions, so that deliveries that failed together do not come back together. */
const JITTER = 0.2;

/** Attempts of one delivery altogether. */
export function attemptsOf({ strategy, maxAttempts }: RetryPolicy): number {
  const own = maxAttempts ?? DEFAULT_ATTEMPTS[strategy];
  return strategy === 'standard' ? Math.min(own, DEFAULT_ATTEMPTS.standard) : own;
}

/**
 * Milliseconds between an attempt that failed and the next one; null when it was the last.
 *
 * @param made attempts that were made, from 1 on
 * @param random from 0 up to 1
 * @param retryAfterSeconds what the receiver asked for, which counts up to an hour and never makes the wait shorter
 */
export function waitAfter(
  policy: RetryPolicy,
  made: number,
  random: number,
  retryAfterSeconds: number | null = null,
): number | null {
  if (made >= attemptsOf(policy)) return null;
  const spread = 1 - JITTER + 2 * JITTER * random;
  const asked = Math.min(retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS);
  return Math.round(1000 * Math.max(secondsAfter(policy, made) * spread, asked));
}

function secondsAfter({ strategy, initialSeconds, maxSeconds }: RetryPolicy, made: number): number {
  if (strategy === 'standard') return STANDARD_WAITS[made - 1] ?? 0;
  const initial = initialSeconds ?? DEFAULT_INITIAL_SECONDS[strategy];
  if (strategy === 'fixed') return initial;
  return Math.min(initial * 2 ** (made - 1), maxSeconds ?? Math.max(DEFAULT_MAX_SECONDS, initial));
}
