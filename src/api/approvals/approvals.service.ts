import { Injectable } from '@nestjs/common';
import type { JsonValue } from '../../domain/json.js';
import { decideApproval, type ApprovalDecision, type ApprovalRow } from '../../platform/db/approvals.js';
import { Database } from '../../platform/db/database.js';
import type { TenantTransaction } from '../../platform/db/database.js';
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

  listPending(principal: Principal, limit: number): Promise<ApprovalView[]> {
    return this.database.withTenant(principal.organizationId, async (tx) => this.view(tx, principal, await listPending(tx, limit)));
  }

  listOfSession(principal: Principal, sessionId: string, limit: number): Promise<ApprovalView[]> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      await requireSessionExists(tx, sessionId);
      return this.view(tx, principal, await listOfSession(tx, sessionId, limit));
    });
  }

  /** One decision wins; a late or second one answers the settled row (00-design §1). */
  decide(principal: Principal, approvalId: string, decision: ApprovalDecision): Promise<ApprovalView> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      const result = await decideApproval(tx, { approvalId, decision, decidedBy: principal.name });
      const [view] = await this.view(tx, principal, [result.approval]);
      if (view === undefined) throw new Error('a decided approval without a view');
      return result.narrowed ? { ...view, reason: NARROWED } : view;
    });
  }

  private async view(tx: TenantTransaction, principal: Principal, rows: ApprovalRow[]): Promise<ApprovalView[]> {
    const inputs = principal.permissions.has('approvals.decide') ? await this.inputs.read(tx, rows) : new Map<string, JsonValue>();
    return rows.map((row) => toApprovalView(row, inputs.get(row.id) ?? null));
  }
}

/** Said instead of a silent downgrade (06-gate §3). */
const NARROWED = 'recorded as approved_once: the call has no scope key that a session grant could cover';
