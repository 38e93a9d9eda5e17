import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { BROKER_MESSAGES, denied, failed, notSent, type BrokerRefusal } from '../../../domain/broker/broker-answer.js';
import { dispatchId, MAX_CLAIM_ATTEMPTS, type ClaimKey } from '../../../domain/broker/claim.js';
import { digestOf } from '../../../domain/digest/digest.js';
import { SandgateError } from '../../../domain/errors.js';
import { GATE_MESSAGES } from '../../../domain/gate/messages.js';
import { offerCall, readStoredClaim, type CallRow, type StoredClaim } from '../../../core/broker/claims.js';
import { readEventReason } from '../../../core/ledger/event-queries.js';
import { Database } from '../../../core/record/database.js';
import { ToolCallPayloads, type PayloadKey } from '../../../core/gate/tool-call-payloads.js';
import { BrokeredDispatch, type DispatchOutcome } from '../../../platform/temporal/brokered-dispatch.js';
import type { RunnerCaller } from '../auth/runner-caller.js';
import type { ToolCallRequest } from '../body/tool-call.js';
import { runAcceptsWork } from '../../../core/runs/run-status.js';

/** The stored answer, as text that is sent unchanged, or what to say instead. */
export type BrokerAnswer = { text: string } | BrokerRefusal;

const POLL_MS = 500;
const POLL_LIMIT_MS = 30_000;
/** Dispatches of one attempt that may be lost without a claim before the caller hears of it. */
const MAX_LOSSES = 5;

/**
 * What happens to a brokered call after the gate has let it go (docs/design/broker.md): its input is sealed, the run's workflow
 * dispatches it, and the answer always comes from the record, so any process answers a repetition alike.
 */
@Injectable()
export class BrokeredCallService {
  constructor(
    private readonly database: Database,
    private readonly payloads: ToolCallPayloads,
    @Inject(BrokeredDispatch) private readonly dispatches: BrokeredDispatch | null,
  ) {}

  /** @throws SandgateError `unavailable` where inputs cannot be sealed or no workflow can be reached */
  assertAvailable(): void {
    if (this.dispatches === null) throw new SandgateError('unavailable', 'brokered calls need the driver of runs');
    if (!this.payloads.keepsAnswers) {
      throw new SandgateError('unavailable', 'SERVICE_CREDENTIAL_KEY: no sealing key is configured');
    }
  }

  /** Executes a call that the gate has let go, or answers what its claim says. */
  async execute(caller: RunnerCaller, request: ToolCallRequest, signal: AbortSignal): Promise<BrokerAnswer> {
    const { organizationId, runId } = caller;
    const { toolCallId } = request;
    const key: PayloadKey = { organizationId, runId, toolCallId, kind: 'input' };
    const input = await this.payloads.seal(key, JSON.stringify(request.input));
    const offered = await offerCall(this.database, key, input);
    const row: CallRow = { organizationId, runId, callId: offered.callId };
    const attempt = nextAttempt(offered.claim);
    if (attempt === null) return this.answerOf(row, signal);
    const claimKey = { runId, toolCallId, inputDigest: digestOf(request.input) };
    const outcome = await this.dispatch(row, claimKey, attempt, signal);
    return this.answerAfter(row, outcome, signal);
  }

  /** A dispatch that was lost before it took a claim has sent nothing, and is made again. */
  private async dispatch(row: CallRow, key: ClaimKey, attempt: number, signal: AbortSignal): Promise<DispatchOutcome> {
    const { callId, organizationId, runId } = row;
    if (this.dispatches === null) throw new SandgateError('unavailable', 'brokered calls need the driver of runs');
    const run = { organizationId, runId };
    let outcome: DispatchOutcome = { outcome: 'lost' };
    for (let repetition = 0; repetition < MAX_LOSSES && outcome.outcome === 'lost'; repetition += 1) {
      const id = dispatchId(key, attempt, repetition);
      outcome = await this.dispatches.dispatch(run, { callId, attempt }, id, signal);
    }
    return outcome;
  }

  private async answerAfter(row: CallRow, outcome: DispatchOutcome, signal: AbortSignal): Promise<BrokerAnswer> {
    switch (outcome.outcome) {
      case 'denied':
        return denied(await this.reasonOf(row, outcome.seq));
      case 'inactive':
        throw new SandgateError('invalid_request', GATE_MESSAGES.sessionNotActive);
      case 'unbound':
        throw new SandgateError('internal', BROKER_MESSAGES.unbound);
      case 'unknown':
      case 'lost':
        return failed(BROKER_MESSAGES.lost);
      default:
        return this.answerOf(row, signal);
    }
  }

  /** From the claim's row, which is polled while another dispatch has it. */
  private async answerOf(row: CallRow, signal: AbortSignal): Promise<BrokerAnswer> {
    const deadline = Date.now() + POLL_LIMIT_MS;
    for (;;) {
      const claim = await readStoredClaim(this.database, row);
      if (claim === null) return this.answerWithoutClaim(row);
      if (claim.state !== 'claimed') return this.answerSettled(row, claim);
      if (Date.now() >= deadline || signal.aborted) return failed(BROKER_MESSAGES.inFlight);
      await delay(POLL_MS);
    }
  }

  private async answerSettled({ organizationId, runId }: CallRow, claim: StoredClaim): Promise<BrokerAnswer> {
    const { state, toolCallId, answer } = claim;
    if (state === 'ambiguous') return failed(BROKER_MESSAGES.ambiguous);
    if (state === 'failed_before_send') return notSent(claim.error ?? BROKER_MESSAGES.lost, claim.attempt);
    if (answer === null) return failed(BROKER_MESSAGES.answerGone);
    const key: PayloadKey = { organizationId, runId, toolCallId, kind: 'result' };
    return { text: await this.payloads.openResting(key, answer) };
  }

  /** A dispatch whose state is unknown may still take its claim, so the same call joins it when it is presented again. */
  private async answerWithoutClaim({ organizationId, runId }: CallRow): Promise<BrokerAnswer> {
    const active = await this.database.withTenant(organizationId, (tx) => runAcceptsWork(tx, runId));
    if (!active) throw new SandgateError('invalid_request', GATE_MESSAGES.sessionNotActive);
    return failed(BROKER_MESSAGES.inFlight);
  }

  private async reasonOf({ organizationId, runId }: CallRow, seq: number): Promise<string> {
    const reason = await this.database.withTenant(organizationId, (tx) => readEventReason(tx, runId, seq));
    return reason ?? GATE_MESSAGES.replayDenied;
  }
}

/** Null where no further dispatch is allowed, or one is under way. */
function nextAttempt(claim: { state: StoredClaim['state']; attempt: number } | null): number | null {
  if (claim === null) return 1;
  return claim.state === 'failed_before_send' && claim.attempt < MAX_CLAIM_ATTEMPTS ? claim.attempt + 1 : null;
}
