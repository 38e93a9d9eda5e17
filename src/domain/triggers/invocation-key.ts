import { SandgateError } from '../errors.js';

const MAX_KEY = 200;
/** Keys that the history uses for invocations that nobody named. */
export const KEY_PREFIXES = { unnamed: 'auto-', manual: 'manual-', slot: 'sched:' } as const;

/**
 * Header `Idempotency-Key` of an invocation, trimmed; null when it is absent or blank.
 *
 * @throws SandgateError `invalid_request` for one that is too long, or that could claim what a clock or a person starts
 */
export function parseInvocationKey(raw: string | undefined): string | null {
  const key = raw?.trim() ?? '';
  if (key === '') return null;
  if (key.length > MAX_KEY) throw invalid(`at most ${MAX_KEY} characters`);
  const reserved = Object.values(KEY_PREFIXES).find((prefix) => key.startsWith(prefix));
  if (reserved !== undefined) throw invalid(`keys that begin with ${reserved} are the service's own`);
  return key;
}

function invalid(reason: string): SandgateError {
  return new SandgateError('invalid_request', `Idempotency-Key: ${reason}`);
}
