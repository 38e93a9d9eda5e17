import { CancelledFailure, Context } from '@temporalio/activity';
import { BROKER_MESSAGES, shortCause } from '../domain/broker/broker-answer.js';
import { brokeredEvent, type SettledCall } from '../domain/broker/brokered-event.js';
import { CLAIM_TTL_SECS } from '../domain/broker/claim.js';
import type { BrokeredCallRef, BrokeredOutcome } from '../domain/broker/dispatch.js';
import { writeAnswer } from '../domain/broker/stored-answer.js';
import type { NewEvent } from '../domain/events/event-kinds.js';
import { parseMcpName } from '../domain/tools/mcp-name.js';
import type { CallTargets } from '../core/broker/call-targets.js';
import type { CallTarget, UpstreamCaller, UpstreamResult } from '../core/broker/upstream-call.js';
import {
  claimCall,
  readStoredClaim,
  settleClaim,
  takeCall,
  type BrokeredCall,
  type CallRow,
  type Claim,
  type ClaimAnswer,
  type Settlement,
} from '../core/broker/claims.js';
import type { Database } from '../core/record/database.js';
import { decisionEvent } from '../core/gate/gate-call.js';
import { newRowId } from '../platform/postgres/row-id.js';
import { untilReachable } from '../platform/postgres/until-reachable.js';
import { whileHeartbeating } from '../platform/temporal/heartbeats.js';
import type { Logger } from '../platform/telemetry/logger.js';
import type { ToolCallPayloads } from '../core/gate/tool-call-payloads.js';
import type { BrokerActivities, RunRef } from './run-activities.js';

export interface BrokerDependencies {
  database: Database;
  payloads: ToolCallPayloads;
  targets: CallTargets;
  upstream: UpstreamCaller;
  log: Pick<Logger, 'error'>;
}

/** Before the claim is taken nothing was sent, so the caller can be told so at once. */
const READ_WITHIN_MS = 10_000;
/** An upstream's answer must not be lost because the database is away for a moment. */
const SETTLE_WITHIN_MS = 120_000;

/** Calls of upstream servers. What an operator may see of them in Temporal is an id, a number and one word. */
export function createBrokerActivities(on: BrokerDependencies): BrokerActivities {
  return {
    executeBrokeredCall: (run, call) => whileHeartbeating(() => execute(on, run, call, untilCancelled())),
    closeUpstreamSessions: async (run) => {
      await on.upstream.close(run);
      on.targets.forget(run.runId);
    },
  };
}

/** Aborts when the run gives its calls up. A worker that is stopped lets them finish while there is time. */
function untilCancelled(): AbortSignal {
  const controller = new AbortController();
  Context.current().cancelled.catch((reason: unknown) => {
    const isStop = reason instanceof CancelledFailure && reason.message === 'WORKER_SHUTDOWN';
    if (!isStop) controller.abort(reason);
  });
  return controller.signal;
}

/** One dispatch: recheck, claim, send, settle (docs/design/broker.md). */
async function execute(
  on: BrokerDependencies,
  run: RunRef,
  { callId, attempt }: BrokeredCallRef,
  signal: AbortSignal,
): Promise<BrokeredOutcome> {
  const row: CallRow = { organizationId: run.organizationId, runId: run.runId, callId };
  const wanted: Claim = { claimId: newRowId(), attempt };
  const checked = on.targets.checked(run.runId);
  const known = Object.fromEntries([...checked].map(([id, { current }]) => [id, current]));
  const taken = await untilReachable(READ_WITHIN_MS, () => takeCall(on.database, row, known, wanted, CLAIM_TTL_SECS));
  if (taken === null) return withoutInput(on.database, row);
  const { call, claimed } = taken;
  const target = checked.get(call.bound?.bindingId ?? '')?.target;
  if (claimed !== null && target !== undefined) return make(on, target, call, claimed, signal);
  const judged = await judge(on, run, call);
  if ('outcome' in judged) return judged;
  const late = await untilReachable(READ_WITHIN_MS, () => claimCall(on.database, row, wanted, CLAIM_TTL_SECS));
  return make(on, judged, call, late, signal);
}

/** The target of a call whose authority was not known yet, or the end of the call, without a claim. */
async function judge(on: BrokerDependencies, run: RunRef, call: BrokeredCall): Promise<CallTarget | BrokeredOutcome> {
  const name = parseMcpName(call.tool);
  if (name === null) return { outcome: 'unbound' };
  const authority = await untilReachable(READ_WITHIN_MS, () => on.targets.authorityBehind(run, name.server, call));
  if (authority.kind === 'stands') return authority.target;
  const text = authority.kind === 'unbound' ? BROKER_MESSAGES.unbound : authority.text;
  const seq = await deny(on.database, run, call, text);
  return authority.kind === 'unbound' ? { outcome: 'unbound' } : { outcome: 'denied', seq };
}

async function make(
  on: BrokerDependencies,
  target: CallTarget,
  call: BrokeredCall,
  { outcome, claim }: ClaimAnswer,
  signal: AbortSignal,
): Promise<BrokeredOutcome> {
  if (outcome === 'not_allowed') return { outcome: 'unknown' };
  if (outcome !== 'claimed') return { outcome };
  const claimedAt = performance.now();
  const argumentsText = await openInput(on, target, call);
  const result = argumentsText === null ? INPUT_UNREADABLE : await send(on, target, call, argumentsText, signal);
  return settle(on, target, { call, claim, result, latencyMs: performance.now() - claimedAt });
}

/** The input is gone when another dispatch has already settled the call. */
async function withoutInput(database: Database, row: CallRow): Promise<BrokeredOutcome> {
  const claim = await readStoredClaim(database, row);
  return { outcome: claim === null ? 'unknown' : 'taken' };
}

const INPUT_UNREADABLE: UpstreamResult = { state: 'failed_before_send', error: 'the input could not be opened' };

/** Null where it cannot be opened: a key is missing, or the bytes were altered. Nothing was sent then. */
async function openInput(
  on: BrokerDependencies,
  { organizationId, runId }: CallTarget,
  { toolCallId, input }: BrokeredCall,
): Promise<string | null> {
  try {
    return await on.payloads.openResting({ organizationId, runId, toolCallId, kind: 'input' }, input);
  } catch (cause) {
    on.log.error({ err: cause, run: runId }, 'the input of a brokered call could not be opened');
    return null;
  }
}

/** From here on the call may have been sent, whatever goes wrong, unless there is proof that it was not. */
async function send(
  on: BrokerDependencies,
  target: CallTarget,
  call: BrokeredCall,
  argumentsText: string,
  signal: AbortSignal,
): Promise<UpstreamResult> {
  const tool = parseMcpName(call.tool)?.tool ?? call.tool;
  try {
    return await on.upstream.call(target, tool, argumentsText, signal);
  } catch (cause) {
    on.log.error({ err: cause, run: target.runId }, 'a brokered call failed in an unforeseen way');
    return { state: 'ambiguous', error: 'the broker failed while it made the call' };
  }
}

interface Made {
  call: BrokeredCall;
  claim: Claim;
  result: UpstreamResult;
  latencyMs: number;
}

async function settle(on: BrokerDependencies, target: CallTarget, made: Made): Promise<BrokeredOutcome> {
  const { call, claim, result } = made;
  const { settlement, told } = await settlementOf(on, target, made);
  const brokered = brokeredEvent(told, target.toolSet.slot);
  const events = result.state === 'denied' ? [denialOf(call, result.text), brokered] : [brokered];
  const last = await untilReachable(SETTLE_WITHIN_MS, () =>
    settleClaim(on.database, target, claim, settlement, events),
  );
  if (last === null) return { outcome: 'taken' };
  return result.state === 'denied' ? { outcome: 'denied', seq: last - 1 } : { outcome: settlement.state };
}

async function settlementOf(
  on: BrokerDependencies,
  { organizationId, runId, binding }: CallTarget,
  { call, claim, result, latencyMs }: Made,
): Promise<{ settlement: Settlement; told: SettledCall }> {
  const { toolCallId, tool } = call;
  const base = { toolCallId, tool, bindingId: binding.id, attempt: claim.attempt, latencyMs };
  if ('answer' in result) {
    const { text, digest } = writeAnswer(result.answer);
    const answer = await on.payloads.seal({ organizationId, runId, toolCallId, kind: 'result' }, text);
    const { state, error } = result;
    const settlement = { state, resultDigest: digest, error: error === undefined ? null : shortCause(error), answer };
    return { settlement, told: { ...base, state, resultDigest: digest, error } };
  }
  const [state, cause] =
    result.state === 'denied' ? (['failed_before_send', result.text] as const) : [result.state, result.error];
  const error = shortCause(cause);
  return { settlement: { state, resultDigest: null, error, answer: null }, told: { ...base, state, error } };
}

async function deny(database: Database, run: RunRef, call: BrokeredCall, text: string): Promise<number> {
  const [seq] = await database.append(run.organizationId, run.runId, [denialOf(call, text)]);
  return seq ?? 0;
}

/** An event besides the gate's decision, which stays (docs/design/broker.md). */
function denialOf({ toolCallId, tool }: BrokeredCall, text: string): NewEvent {
  const reason = shortCause(text);
  return decisionEvent({ toolCallId, tool }, { kind: 'deny', source: 'binding', originalVerdict: null, reason });
}
