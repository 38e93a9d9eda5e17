import type { SettledClaimState } from './claim.js';

/** One dispatch of one brokered call: the id of its row at the gate, and which attempt it is. */
export interface BrokeredCallRef {
  callId: string;
  attempt: number;
}

/**
 * The outcome of a dispatch. The answer and the reason of a refusal are in the database, not here.
 * - a state of a claim: set by this dispatch, or found already set.
 * - `taken`: the claim is another dispatch's. `inactive`: the run accepts no work. `unknown`: the gate has not let it go.
 * - `denied`: the authorization check or a drift of the server's tools refused; `seq` is the event that says why. `unbound`:
 * there is no binding.
 * - `lost`: the sender went away before a claim was taken.
 */
export type BrokeredOutcome =
  | { outcome: SettledClaimState | 'taken' | 'inactive' | 'unknown' | 'unbound' | 'lost' }
  | { outcome: 'denied'; seq: number };
