import { Injectable } from '@nestjs/common';
import { canonicalJson } from '../../../domain/digest/canonical-json.js';
import type { ExactJson } from '../../../domain/digest/exact-json.js';
import { SandgateError } from '../../../domain/errors.js';
import type { GateVerdict } from '../../../domain/gate/gate-verdict.js';
import { GATE_MESSAGES } from '../../../domain/gate/messages.js';
import type { JsonObject } from '../../../domain/json.js';
import { recordSessionTerminal } from '../../../platform/db/approvals.js';
import type { ApprovalRow } from '../../../platform/db/approvals.js';
import { Database } from '../../../platform/db/database.js';
import { requestApproval } from '../../../platform/db/gate.js';
import type { GateAnswer, GateCall } from '../../../platform/db/gate.js';
import { ToolCallPayloads } from '../../../platform/seal/tool-call-payloads.js';
import type { PayloadKey } from '../../../platform/seal/tool-call-payloads.js';
import { ApiConfig } from '../../foundation.module.js';
import { LimitBreaches } from '../limits/limit-breaches.js';
import { RunLimits } from '../limits/run-limits.js';
import { runAcceptsWork } from '../routes/run-status.js';
import { ApprovalWaits } from './approval-waits.js';
import type { GateResult } from './gate-result.js';
import { ShownFiles } from './shown-files.js';

type Asking = Extract<GateVerdict, { kind: 'require_approval' }>;

/** Asks a human about a call, waits, and releases it or not (chapter 30 §7.4, 06-gate §3, §4). */
@Injectable()
export class ApprovalGate {
  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
    private readonly waits: ApprovalWaits,
    private readonly limits: RunLimits,
    private readonly breaches: LimitBreaches,
    private readonly payloads: ToolCallPayloads,
    private readonly files: ShownFiles,
  ) {}

  /** One database call: a grant of this run allows the call at once, else it becomes pending with its input kept for the approver. */
  async ask(call: GateCall, input: ExactJson, verdict: Asking): Promise<GateAnswer> {
    const { approval } = verdict;
    const files = await this.files.measure(call.sessionId, input);
    return requestApproval(this.database, call, {
      source: 'policy',
      risk: approval.risk,
      reason: verdict.reason,
      scope: approval.scope,
      scopeKey: approval.scope_key,
      scopeKeys: approval.scope_keys,
      explanation: { ...verdict.explanation, cwd: workingDirectory(input), files } as unknown as JsonObject,
      ttlSecs: approval.ttl_secs,
      maxPending: this.config.limits.pendingApprovals,
      payload: await this.payloads.protect({ ...placeOf(call), kind: 'input' }, canonicalJson(input)),
    });
  }

  /** Holds the call until its approval is settled. Any number of callers may hold the same one. */
  async wait(call: GateCall, asked: GateAnswer, signal: AbortSignal): Promise<GateResult> {
    if (asked.approvalId === null) throw new SandgateError('internal', 'internal error');
    const leave = this.limits.enter(call.sessionId, 'parked_permissions', this.config.limits.parkedPermissions);
    if (leave === null) {
      this.breaches.note(call.sessionId, 'parked_permissions');
      throw new SandgateError('unavailable', 'too many waiting calls of this run; retry', { retryAfterSeconds: 2 });
    }
    try {
      const { organizationId, sessionId } = call;
      const row = await this.waits.settled({ organizationId, sessionId, approvalId: asked.approvalId }, signal);
      return row === null ? { kind: 'gone' } : await this.release(organizationId, row);
    } finally {
      leave();
    }
  }

  private async release(organizationId: string, row: ApprovalRow): Promise<GateResult> {
    if (row.status !== 'approved_once' && row.status !== 'approved_session') {
      return { kind: 'deny', message: GATE_MESSAGES.replayDenied };
    }
    const withheld = row.withheld_reason ?? (await this.files.withholdIfChanged(organizationId, row));
    if (withheld !== null) return { kind: 'deny', message: withheld };
    return this.database.withTenant(organizationId, async (tx) => {
      if (await runAcceptsWork(tx, row.session_id)) return { kind: 'allow' };
      await recordSessionTerminal(tx, row.id);
      return { kind: 'inactive' };
    });
  }
}

function placeOf({ organizationId, sessionId, toolCallId }: GateCall): Omit<PayloadKey, 'kind'> {
  return { organizationId, sessionId, toolCallId };
}

function workingDirectory(input: ExactJson): string | null {
  const cwd =
    typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as JsonObject)['cwd'] : undefined;
  return typeof cwd === 'string' ? cwd : null;
}
