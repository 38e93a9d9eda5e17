import type pg from 'pg';
import { brokeredEvent } from '../../domain/broker/brokered-event.js';
import { BROKER_MESSAGES } from '../../domain/broker/broker-answer.js';
import type { ClaimState, SettledClaimState } from '../../domain/broker/claim.js';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { JsonObject } from '../../domain/json.js';
import { parseMcpName } from '../../domain/tools/mcp-name.js';
import type { RestingValue } from '../../platform/seal/sealer.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { findRow, queryRow, queryRows } from '../record/query-row.js';
import { bodyArguments } from '../ledger/append-events.js';

/** One call of one run, by the id of its row at the gate. */
export interface CallRow {
  organizationId: string;
  runId: string;
  callId: string;
}

/** A call that is stored for dispatch, with its claim if it already has one. */
export interface OfferedCall {
  callId: string;
  claim: { state: ClaimState; attempt: number } | null;
}

/** Keeps the sealed input of a call that the gate has let go. One round trip. */
export async function offerCall(
  db: Database,
  call: { organizationId: string; runId: string; toolCallId: string },
  input: RestingValue,
): Promise<OfferedCall> {
  const row = await findRow<{ call_id: string | null; state: ClaimState | null; attempt: number | null }>(db.pool, {
    name: 'svc_offer_call',
    text: 'select * from svc_offer_call($1, $2, $3, $4, $5)',
    values: [call.organizationId, call.runId, call.toolCallId, input.sealed, input.keyVersion],
  });
  if (row?.call_id == null) throw new Error('a call was offered that the gate does not know');
  const { state, attempt } = row;
  return { callId: row.call_id, claim: state === null ? null : { state, attempt: attempt ?? 1 } };
}

/** What a worker needs to make a call. */
export interface BrokeredCall {
  toolCallId: string;
  tool: string;
  inputDigest: string;
  input: RestingValue;
  /** The binding of its slot and its current authority; null where there is none. */
  bound: { bindingId: string; current: JsonObject | null } | null;
}

/**
 * - `claimed`: this caller alone may send.
 * - `inactive`: the run accepts no work.
 * - `not_allowed`: the gate has not let the call go.
 * - `taken`: the claim is in another state, or at another attempt.
 */
export type ClaimOutcome = 'claimed' | 'inactive' | 'not_allowed' | 'taken';

/** A claim in the hands of the process that may send. */
export interface Claim {
  claimId: string;
  attempt: number;
}

/** The outcome of claiming, with the claim that counts. */
export interface ClaimAnswer {
  outcome: ClaimOutcome;
  claim: Claim;
}

/**
 * Takes the claim of a call, in a transaction that locks the run's head row and reads its status behind that lock: whoever ends the
 * run first wins (docs/design/broker.md).
 */
export async function claimCall(db: Database, call: CallRow, claim: Claim, ttlSecs: number): Promise<ClaimAnswer> {
  const row = await queryRow<{ outcome: ClaimOutcome; claim_id: string | null }>(db.pool, {
    name: 'svc_claim_call',
    text: 'select * from svc_claim_call($1, $2, $3, $4, $5, $6)',
    values: [...keyOf(call), claim.claimId, claim.attempt, ttlSecs],
  });
  return { outcome: row.outcome, claim: { claimId: row.claim_id ?? claim.claimId, attempt: claim.attempt } };
}

/** Authorities that the caller has already checked, by binding id. */
export type KnownAuthorities = Readonly<Record<string, JsonObject>>;

/** A call, and the outcome of claiming it; null when its authority has changed and must be judged before the call is claimed. */
export interface TakenCall {
  call: BrokeredCall;
  claimed: ClaimAnswer | null;
}

/**
 * Reads a call and, as {@link claimCall} does, claims it, if the authority of its slot is exactly as known. One round trip.
 *
 * @returns null where the gate has not let the call go, or where its input is gone because it is settled
 */
export async function takeCall(
  db: Database,
  call: CallRow,
  known: KnownAuthorities,
  claim: Claim,
  ttlSecs: number,
): Promise<TakenCall | null> {
  const row = await findRow<{
    tool_call_id: string;
    tool: string;
    input_digest: string;
    sealed: Buffer;
    key_version: number;
    binding_id: string | null;
    current: JsonObject | null;
    outcome: ClaimOutcome | null;
    claim_id: string | null;
  }>(db.pool, {
    name: 'svc_take_call',
    text: 'select * from svc_take_call($1, $2, $3, $4, $5, $6, $7)',
    values: [...keyOf(call), JSON.stringify(known), claim.claimId, claim.attempt, ttlSecs],
  });
  if (row === null) return null;
  const { outcome, claim_id: claimId } = row;
  return {
    call: {
      toolCallId: row.tool_call_id,
      tool: row.tool,
      inputDigest: row.input_digest,
      input: { sealed: row.sealed, keyVersion: row.key_version },
      bound: row.binding_id === null ? null : { bindingId: row.binding_id, current: row.current },
    },
    claimed: outcome === null ? null : { outcome, claim: { ...claim, claimId: claimId ?? claim.claimId } },
  };
}

export interface Settlement {
  state: SettledClaimState;
  /** Of the stored answer. */
  resultDigest: string | null;
  /** At most 300 characters, in our own words. */
  error: string | null;
  answer: RestingValue | null;
}

/**
 * Settles a claim by compare-and-swap, stores the answer and appends the events, in one round trip.
 *
 * @returns the seq of the last event; null when somebody else has settled it, then nothing was written and the stored row answers
 */
export async function settleClaim(
  db: Database,
  run: { organizationId: string; runId: string },
  claim: Claim,
  settlement: Settlement,
  events: NewEvent[],
): Promise<number | null> {
  const { bodies, digests } = bodyArguments(events);
  const row = await findRow<{ last: string | null }>(db.pool, {
    name: 'svc_settle_claim',
    text: 'select svc_settle_claim($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text[], $11::text[]) as last',
    values: [
      run.organizationId,
      run.runId,
      claim.claimId,
      claim.attempt,
      settlement.state,
      settlement.resultDigest,
      settlement.error,
      settlement.answer?.sealed ?? null,
      settlement.answer?.keyVersion ?? null,
      bodies,
      digests,
    ],
  });
  if (row?.last == null) return null;
  db.announce({ ledger: run.runId });
  db.observer?.appended(events);
  return Number(row.last);
}

/** A claim with what it was settled with. */
export interface StoredClaim {
  state: ClaimState;
  attempt: number;
  error: string | null;
  toolCallId: string;
  answer: RestingValue | null;
}

/** Null where the call has no claim. One round trip. */
export async function readStoredClaim(db: Database, call: CallRow): Promise<StoredClaim | null> {
  const row = await findRow<{
    state: ClaimState;
    attempt: number;
    error_message: string | null;
    tool_call_id: string;
    sealed: Buffer | null;
    key_version: number | null;
  }>(db.pool, { name: 'svc_read_answer', text: 'select * from svc_read_answer($1, $2, $3)', values: keyOf(call) });
  if (row === null) return null;
  const { sealed, key_version: keyVersion } = row;
  return {
    state: row.state,
    attempt: row.attempt,
    error: row.error_message,
    toolCallId: row.tool_call_id,
    answer: sealed === null || keyVersion === null ? null : { sealed, keyVersion },
  };
}

interface OpenClaim {
  claim_id: string;
  attempt: number;
  tool_call_id: string;
  tool: string;
}

/**
 * Settles abandoned claims as ambiguous: they may have been sent, so they are never sent again.
 *
 * @param which `expired`: those past their time; `all`: every open one of the run; else the one of that call
 * @returns how many
 */
export async function giveUpClaims(
  db: Database,
  run: { organizationId: string; runId: string },
  which: 'expired' | 'all' | { callId: string; attempt: number },
): Promise<number> {
  const { callId, attempt } = typeof which === 'object' ? which : { callId: null, attempt: null };
  const open = await db.withTenant(run.organizationId, (tx) =>
    tx.query<OpenClaim>('select * from svc_list_open_claims($1, $2, $3, $4)', [
      run.runId,
      callId,
      attempt,
      which === 'expired',
    ]),
  );
  let settled = 0;
  for (const row of open) settled += Number(await giveUp(db, run, row));
  return settled;
}

async function giveUp(
  db: Database,
  run: { organizationId: string; runId: string },
  { claim_id: claimId, attempt, tool_call_id: toolCallId, tool }: OpenClaim,
): Promise<boolean> {
  const error = BROKER_MESSAGES.ambiguous;
  const call = { toolCallId, tool, state: 'ambiguous', attempt, latencyMs: 0, error } as const;
  const settlement: Settlement = { state: 'ambiguous', resultDigest: null, error, answer: null };
  const last = await settleClaim(db, run, { claimId, attempt }, settlement, [brokeredEvent(call, serverOf(tool))]);
  return last !== null;
}

/** Removes inputs and answers of a run that is over: nobody may present one of its calls again (docs/design/sealing.md). */
export async function forgetCallTexts(tx: TenantTransaction, runId: string): Promise<void> {
  await tx.query('select svc_forget_call_texts($1)', [runId]);
}

/** The slot in the name of a brokered tool. */
export function serverOf(tool: string): string {
  return parseMcpName(tool)?.server ?? tool;
}

/** Runs with claims past their time, of all organizations, oldest first. */
export async function listRunsWithExpiredClaims(
  pool: pg.Pool,
  limit: number,
): Promise<{ organizationId: string; runId: string }[]> {
  const rows = await queryRows<{ organization_id: string; session_id: string }>(pool, {
    text: 'select * from svc_list_expired_claims($1)',
    values: [limit],
  });
  const runs = new Map(rows.map((row) => [row.session_id, row]));
  return [...runs.values()].map((row) => ({ organizationId: row.organization_id, runId: row.session_id }));
}

function keyOf({ organizationId, runId, callId }: CallRow): unknown[] {
  return [organizationId, runId, callId];
}
