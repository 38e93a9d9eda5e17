import { Injectable } from '@nestjs/common';
import type { ExactJson } from '../../domain/digest/exact-json.js';
import { readShownCall, type CallFindings, type ShownCall } from '../../domain/gate/shown-call.js';
import { redactForApprover } from '../../domain/redaction/redact-for-approver.js';
import type { ApprovalRow } from '../../platform/db/approvals.js';
import { callKey, ToolCallPayloads } from '../../platform/seal/tool-call-payloads.js';
import type { Principal } from '../auth/principal.js';

/** Opens what a human is asked about: the whole input, secrets replaced, for those alone who may decide (06-gate §4). */
@Injectable()
export class ApprovalInputs {
  constructor(private readonly payloads: ToolCallPayloads) {}

  /** By approval id; a caller who may not decide gets none, and an input that was deleted is missing. */
  async read(principal: Principal, approvals: readonly ApprovalRow[]): Promise<Map<string, ShownCall>> {
    if (!principal.permissions.has('approvals.decide')) return new Map();
    const calls = approvals.map((approval) => ({ sessionId: approval.session_id, toolCallId: approval.tool_call_id }));
    const texts = await this.payloads.openMany(principal.organizationId, 'input', calls);
    const shown = new Map<string, ShownCall>();
    for (const approval of approvals) {
      const text = texts.get(callKey({ sessionId: approval.session_id, toolCallId: approval.tool_call_id }));
      if (text !== undefined) shown.set(approval.id, redacted(readShownCall(text)));
    }
    return shown;
  }
}

function redacted({ input, findings }: ShownCall): ShownCall {
  return {
    input: redactForApprover(input),
    findings: redactForApprover(findings as unknown as ExactJson) as unknown as CallFindings,
  };
}
