import { Injectable } from '@nestjs/common';
import { decideApproval, type ApprovalDecision, type ApprovalRow } from '../../platform/db/approvals.js';
import { Database } from '../../platform/db/database.js';
import type { Principal } from '../auth/principal.js';
import { requireSessionExists } from '../sessions/session-lookup.js';
import { ApprovalInputs } from './approval-inputs.js';
import { listPending, listOfSession } from './approval-queries.js';
import { toApprovalView, type ApprovalView } from './approvals.dto.js';

/** The inbox of questions and their decisions (chapter 10 §12). */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly database: Database,
    private readonly inputs: ApprovalInputs,
  ) {}

  async listPending(principal: Principal, limit: number): Promise<ApprovalView[]> {
    return this.view(
      principal,
      await this.database.withTenant(principal.organizationId, (tx) => listPending(tx, limit)),
    );
  }

  async listOfSession(principal: Principal, sessionId: string, limit: number): Promise<ApprovalView[]> {
    const rows = await this.database.withTenant(principal.organizationId, async (tx) => {
      await requireSessionExists(tx, sessionId);
      return listOfSession(tx, sessionId, limit);
    });
    return this.view(principal, rows);
  }

  /** One decision wins; a late or second one answers the settled row (00-design §1). */
  async decide(principal: Principal, approvalId: string, decision: ApprovalDecision): Promise<ApprovalView> {
    const { approval, narrowed } = await this.database.withTenant(principal.organizationId, (tx) =>
      decideApproval(tx, { approvalId, decision, decidedBy: principal.name }),
    );
    const [view] = await this.view(principal, [approval]);
    if (view === undefined) throw new Error('a decided approval without a view');
    return narrowed ? { ...view, reason: NARROWED } : view;
  }

  private async view(principal: Principal, rows: ApprovalRow[]): Promise<ApprovalView[]> {
    const inputs = await this.inputs.read(principal, rows);
    return rows.map((row) => toApprovalView(row, inputs.get(row.id) ?? null));
  }
}

/** Said instead of a silent downgrade (06-gate §3). */
const NARROWED = 'recorded as approved_once: the call has no scope key that a session grant could cover';
