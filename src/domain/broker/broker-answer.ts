import { MAX_CLAIM_ATTEMPTS } from './claim.js';

/** What the caller of a brokered tool is told when there is no upstream answer (docs/design/broker.md). */
export type BrokerRefusal = { ok: false; denied: true; message: string } | { ok: false; error: string };

const MAX_CAUSE_CHARACTERS = 300;

/** Texts of the broker, shared by answers, events and tests. */
export const BROKER_MESSAGES = {
  ambiguous: 'brokered call outcome ambiguous — not retried',
  inFlight: 'execution in flight; retry later',
  lost: 'the call was not sent: whoever was to send it went away; retry',
  answerGone: 'the stored answer of this call is no longer kept',
  unbound: "the binding of this run's tool set is missing",
  lastAttempt: `(attempt ${MAX_CLAIM_ATTEMPTS}; not retried)`,
} as const;

/** The gate or the authorization check refused. */
export function denied(message: string): BrokerRefusal {
  return { ok: false, denied: true, message: shortCause(message) };
}

/** Nothing was written upstream: the same call may be presented again, until its attempts are used up. */
export function notSent(cause: string, attempt: number): BrokerRefusal {
  if (attempt < MAX_CLAIM_ATTEMPTS) return { ok: false, error: shortCause(cause) };
  const spent = `failed before send on ${MAX_CLAIM_ATTEMPTS} attempts — not retried (execution attempts exhausted)`;
  return { ok: false, error: `${shortCause(cause)}: ${spent}` };
}

export function failed(error: string): BrokerRefusal {
  return { ok: false, error };
}

/** At most 300 characters, never half a character. */
export function shortCause(text: string): string {
  const characters = Array.from(text);
  return characters.length <= MAX_CAUSE_CHARACTERS
    ? text
    : `${characters.slice(0, MAX_CAUSE_CHARACTERS - 1).join('')}…`;
}
