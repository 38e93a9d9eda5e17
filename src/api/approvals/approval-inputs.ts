import { Injectable } from '@nestjs/common';
import type { ExactJson } from '../../domain/digest/exact-json.js';
import { readShownCall, type CallFindings, type ShownCall } from '../../domain/gate/shown-call.js';
import { redactForApprover } from '../../domain/redaction/redact-for-approver.js';
import type { ApprovalEntity } from '../../core/approvals/approval.entity.js';
import { Database } from '../../core/record/database.js';
import { callKey, ToolCallPayloads } from '../../core/gate/tool-call-payloads.js';
import type { Principal } from '../auth/principal.js';
import { decisionProblems } from './deciding.js';

/** Opens what a human is asked about: the whole input, secrets replaced, for those alone who may decide (docs/design/gate.md). */
@Injectable()
export class ApprovalInputs {
  constructor(
    private readonly database: Database,
    private readonly payloads: ToolCallPayloads,
  ) {}

  /** By approval id. Inputs that the caller may not decide about, and deleted ones, are missing. */
  async read(principal: Principal, approvals: readonly ApprovalEntity[]): Promise<Map<string, ShownCall>> {
    const decidable = await this.decidable(principal, approvals);
    const calls = decidable.map((approval) => ({ runId: approval.session_id, toolCallId: approval.tool_call_id }));
    const texts = await this.payloads.openMany(principal.organizationId, 'input', calls);
    const shown = new Map<string, ShownCall>();
    for (const approval of decidable) {
      const text = texts.get(callKey({ runId: approval.session_id, toolCallId: approval.tool_call_id }));
      if (text !== undefined) shown.set(approval.id, redacted(readShownCall(text)));
    }
    return shown;
  }

  private async decidable(
    principal: Principal,
    approvals: readonly ApprovalEntity[],
  ): Promise<readonly ApprovalEntity[]> {
    if (approvals.length === 0 || !principal.permissions.has('approvals.decide')) return [];
    const ids = approvals.map(({ id }) => id);
    const problems = await this.database.withTenant(principal.organizationId, (tx) =>
      decisionProblems(tx, principal, ids),
    );
    return approvals.filter(({ id }) => problems.get(id) === null);
  }
}

function redacted({ input, findings }: ShownCall): ShownCall {
  return {
    input: redactForApprover(input),
    findings: redactForApprover(findings as unknown as ExactJson) as unknown as CallFindings,
  };
}
