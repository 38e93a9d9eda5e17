import { Injectable } from '@nestjs/common';
import type { ExactJson } from '../../../domain/digest/exact-json.js';
import { SandgateError } from '../../../domain/errors.js';
import type { GateVerdict } from '../../../domain/gate/gate-verdict.js';
import { GATE_MESSAGES } from '../../../domain/gate/messages.js';
import { separateFindings, writeShownCall } from '../../../domain/gate/shown-call.js';
import type { JsonObject } from '../../../domain/json.js';
import { redactTextForApprover } from '../../../domain/redaction/redact-for-approver.js';
import { releaseApproved } from '../../../core/approvals/approval-release.js';
import { readApproval, recordSessionTerminal } from '../../../core/approvals/approvals.js';
import { Database } from '../../../core/record/database.js';
import { decideAutomatic, requestApproval } from '../../../core/gate/gate.js';
import type { GateAnswer, GateCall } from '../../../core/gate/gate.js';
import { runAcceptsWork } from '../../../core/runs/run-status.js';
import { ToolCallPayloads } from '../../../core/gate/tool-call-payloads.js';
import type { PayloadKey } from '../../../core/gate/tool-call-payloads.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { LimitBreaches } from '../limits/limit-breaches.js';
import { ApprovalWaits } from './approval-waits.js';
import type { WaitEnd } from './approval-waits.js';
import type { GateResult } from '../../../domain/gate/gate-verdict.js';
import { wordsNotKnown } from './named-paths.js';
import { ShownFiles } from './shown-files.js';

type Asking = Extract<GateVerdict, { kind: 'require_approval' }>;

/** Ten years: a policy may state any number of seconds, but a larger interval could not be stored. */
const LONGEST_TTL_SECS = 315_360_000;

/** Asks a human about a call, waits, and releases it or not (docs/design/gate.md). */
@Injectable()
export class ApprovalGate {
  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
    private readonly waits: ApprovalWaits,
    private readonly breaches: LimitBreaches,
    private readonly payloads: ToolCallPayloads,
    private readonly files: ShownFiles,
  ) {}

  /**
   * One database call: a grant of this run allows the call at once, else it becomes pending with its input kept for the approver.
   * A call that names more files than a person can be shown, or that would exceed the limit of waiting calls, is denied.
   */
  async ask(call: GateCall, input: ExactJson, verdict: Asking): Promise<GateAnswer> {
    const { approval } = verdict;
    const files = await this.files.measure(call.runId, input);
    if (files === null) return this.denyUnasked(call, GATE_MESSAGES.tooManyFilesToShow);
    const { rule, findings } = separateFindings(verdict.explanation, input, {
      not_known_beforehand: wordsNotKnown(input),
      once_because: approval.once_because,
    });
    // The line and the reason stay in clear after the input is deleted, so they must not contain a secret.
    const reason = redactTextForApprover(verdict.reason);
    const shownCall = { ...call, summary: redactTextForApprover(call.summary) };
    const answer = await requestApproval(this.database, shownCall, {
      source: 'policy',
      risk: approval.risk,
      reason,
      scope: approval.scope,
      scopeKey: approval.scope_key,
      scopeKeys: approval.scope_keys,
      explanation: { ...rule, reason, files } as unknown as JsonObject,
      ttlSecs: Math.min(approval.ttl_secs, LONGEST_TTL_SECS),
      maxPending: this.config.limits.pendingApprovals,
      payload: await this.payloads.protect({ ...placeOf(call), kind: 'input' }, writeShownCall({ input, findings })),
    });
    if (answer.outcome !== 'too_many_pending') return answer;
    this.breaches.note(call.runId, 'pending_approvals');
    return this.denyUnasked(call, GATE_MESSAGES.tooManyPending);
  }

  private async denyUnasked(call: GateCall, reason: string): Promise<GateAnswer> {
    const denial = { kind: 'deny', source: 'policy', originalVerdict: 'require_approval', reason } as const;
    return { ...(await decideAutomatic(this.database, call, denial)), reason };
  }

  /** A call that was decided before: if it was approved and not yet released, its files are compared and it is released now. */
  async repeat(call: GateCall, input: ExactJson, decided: GateAnswer): Promise<GateResult> {
    const row = await this.database.withTenant(call.organizationId, (tx) => readApproval(tx, approvalIdOf(decided)));
    return row.status === 'auto_allowed' ? { kind: 'allow' } : this.release(call, input, { row, active: true });
  }

  /** Holds the call until its approval is settled. Any number of callers may hold the same one. */
  async wait(call: GateCall, input: ExactJson, asked: GateAnswer, signal: AbortSignal): Promise<GateResult> {
    const { organizationId, runId } = call;
    const end = await this.waits.settled({ organizationId, runId, approvalId: approvalIdOf(asked) }, signal);
    if (end === null) return { kind: 'gone' };
    // Still undecided when its run ended: cleanup settles the row and writes the denial (CP-149).
    const endedUndecided = !end.active && (end.row.status === 'pending' || end.row.status === 'expired');
    return endedUndecided ? { kind: 'inactive' } : this.release(call, input, end);
  }

  private async release(call: GateCall, input: ExactJson, { row, active }: WaitEnd): Promise<GateResult> {
    if (row.status !== 'approved_once' && row.status !== 'approved_session') {
      return { kind: 'deny', message: GATE_MESSAGES.replayDenied };
    }
    if (row.withheld_reason !== null) return { kind: 'deny', message: row.withheld_reason };
    if (row.released_at !== null) return { kind: 'allow' };
    const { organizationId } = call;
    const changed = active ? await this.files.withholdIfChanged(organizationId, row, input) : null;
    if (changed !== null) return { kind: 'deny', message: changed };
    return this.database.withTenant(organizationId, async (tx) => {
      if (!(await runAcceptsWork(tx, row.session_id))) {
        await recordSessionTerminal(tx, row.id);
        return { kind: 'inactive' };
      }
      if (await releaseApproved(tx, row.id)) return { kind: 'allow' };
      const { withheld_reason: reason } = await readApproval(tx, row.id);
      return { kind: 'deny', message: reason ?? GATE_MESSAGES.replayDenied };
    });
  }
}

function approvalIdOf({ approvalId }: GateAnswer): string {
  if (approvalId === null) throw new SandgateError('internal', 'internal error');
  return approvalId;
}

function placeOf({ organizationId, runId, toolCallId }: GateCall): Omit<PayloadKey, 'kind'> {
  return { organizationId, runId, toolCallId };
}
