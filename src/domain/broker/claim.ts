import { hash } from 'node:crypto';

/** What a claim becomes when its dispatch is over (docs/design/broker.md). */
export const SETTLED_CLAIM_STATES = ['succeeded', 'failed_upstream', 'failed_before_send', 'ambiguous'] as const;
export type SettledClaimState = (typeof SETTLED_CLAIM_STATES)[number];
/** `claimed`: one dispatch is in flight. */
export type ClaimState = 'claimed' | SettledClaimState;

/** Dispatches of one call; there is another one only after proof that nothing was written. */
export const MAX_CLAIM_ATTEMPTS = 3;
/** Life of a claim in seconds. One that nobody settled is `ambiguous` afterwards. */
export const CLAIM_TTL_SECS = 600;

/** The key of a claim. */
export interface ClaimKey {
  runId: string;
  toolCallId: string;
  inputDigest: string;
}

/**
 * Id of the update that dispatches: a hash of the claim's key, so that however often a call is presented there is one update. Each
 * further attempt, which the record allows first, is another; so is each repetition of one that was lost before it took a claim.
 */
export function dispatchId(key: ClaimKey, attempt: number, repetition: number): string {
  const parts = JSON.stringify([key.runId, key.toolCallId, key.inputDigest, attempt, repetition]);
  return `call-${hash('sha256', parts, 'hex')}`;
}
