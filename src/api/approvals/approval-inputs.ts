import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { ExactJson } from '../../domain/digest/exact-json.js';
import { readShownCall, type CallFindings, type ShownCall } from '../../domain/gate/shown-call.js';
import { GRANT_QUESTION } from '../../domain/network/grant-question.js';
import { redactForApprover } from '../../domain/redaction/redact-for-approver.js';
import type { ApprovalEntity } from '../../core/approvals/approval.entity.js';
import { Database } from '../../core/record/database.js';
import { SessionEntity } from '../../core/runs/session.entity.js';
import type { RunSpec } from '../../domain/run/spec.js';
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
    const [grants, asked] = [decidable.filter(isGrant), decidable.filter((approval) => !isGrant(approval))];
    const calls = asked.map((approval) => ({ runId: approval.session_id, toolCallId: approval.tool_call_id }));
    const texts = await this.payloads.openMany(principal.organizationId, 'input', calls);
    const shown = await this.readGrants(principal, grants);
    for (const approval of asked) {
      const text = texts.get(callKey({ runId: approval.session_id, toolCallId: approval.tool_call_id }));
      if (text !== undefined) shown.set(approval.id, redacted(readShownCall(text)));
    }
    return shown;
  }

  /** A grant is frozen with its run, so it is read there and kept nowhere else. */
  private async readGrants(
    principal: Principal,
    approvals: readonly ApprovalEntity[],
  ): Promise<Map<string, ShownCall>> {
    if (approvals.length === 0) return new Map();
    const runs = await this.database.withTenant(principal.organizationId, (tx) =>
      tx.manager.find(SessionEntity, {
        select: { id: true, run_spec: true },
        where: { id: In(approvals.map(({ session_id }) => session_id)) },
      }),
    );
    const specs = new Map(runs.map(({ id, run_spec }) => [id, run_spec as RunSpec]));
    return new Map(
      approvals.flatMap(({ id, session_id }) => {
        const network = specs.get(session_id)?.network as ExactJson | undefined;
        return network === undefined ? [] : [[id, redacted({ input: network, findings: NO_FINDINGS })] as const];
      }),
    );
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

/** There is nothing to find in a grant that it does not say. */
const NO_FINDINGS: CallFindings = {
  subject: null,
  cwd: null,
  parts: [],
  parts_omitted: 0,
  not_known_beforehand: [],
  once_because: 'a network grant belongs to its run alone',
};

function isGrant({ tool, tool_call_id }: ApprovalEntity): boolean {
  return tool === GRANT_QUESTION.tool && tool_call_id === GRANT_QUESTION.toolCallId;
}

function redacted({ input, findings }: ShownCall): ShownCall {
  return {
    input: redactForApprover(input),
    findings: redactForApprover(findings as unknown as ExactJson) as unknown as CallFindings,
  };
}
