import { Injectable } from '@nestjs/common';
import type { ApprovalEntity } from '../../core/approvals/approval.entity.js';
import { decideApproval, type ApprovalDecision } from '../../core/approvals/approvals.js';
import { SandgateError } from '../../domain/errors.js';
import { EXAMPLES } from '../../domain/policy/shell/describe-grant.js';
import { Database, type TenantTransaction } from '../../core/record/database.js';
import { requireVisible } from '../../core/runs/visible-runs.js';
import { unauthorized } from '../auth/credentials.js';
import type { Principal } from '../auth/principal.js';
import { reauthorize } from '../auth/reauthorize.js';
import { runViewerOf } from '../auth/run-viewer.js';
import { cursorOf, type WaitRequest } from './approval-cursor.js';
import { ApprovalInputs } from './approval-inputs.js';
import { coveredCalls, listApprovals, readListed } from '../../core/approvals/approval-queries.js';
import { ApprovalWatch, type WaitingCaller } from './approval-watch.js';
import { decisionProblems } from './deciding.js';
import { toApprovalView, type ApprovalList, type ApprovalView, type DecidedApproval } from './approvals.dto.js';

/** How a caller wants a list. */
export interface ListRequest {
  limit: number;
  wait: WaitRequest;
  caller: WaitingCaller;
}

/** The inbox of questions and their decisions (docs/design/gate.md). */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly database: Database,
    private readonly inputs: ApprovalInputs,
    private readonly watch: ApprovalWatch,
  ) {}

  listPending(principal: Principal, request: ListRequest): Promise<ApprovalList> {
    return this.list(principal, null, request);
  }

  /** Throws `not_found` for an unknown run. */
  async listOfSession(principal: Principal, runId: string, request: ListRequest): Promise<ApprovalList> {
    await this.database.withTenant(principal.organizationId, (tx) => requireVisible(tx, runViewerOf(principal), runId));
    return this.list(principal, runId, request);
  }

  /** Throws `not_found`. */
  async read(principal: Principal, approvalId: string): Promise<ApprovalView> {
    const row = await this.database.withTenant(principal.organizationId, (tx) =>
      readListed(tx, approvalId, runViewerOf(principal).invokedBy),
    );
    return this.viewOne(principal, row);
  }

  /**
   * One decision wins; a late or second one answers the settled row (docs/design/api-conventions.md).
   * @throws SandgateError `not_found`, also for a question of a run that the caller does not see; `forbidden` for a caller who may not
   * decide the call, whatever its state
   * (docs/design/identity.md)
   */
  async decide(principal: Principal, approvalId: string, decision: ApprovalDecision): Promise<DecidedApproval> {
    const { approval, won, narrowed } = await this.database.withTenant(principal.organizationId, async (tx) => {
      await readListed(tx, approvalId, runViewerOf(principal).invokedBy);
      const problem = (await decisionProblems(tx, principal, [approvalId])).get(approvalId);
      if (problem !== null) throw new SandgateError('forbidden', problem ?? 'this approval cannot be decided');
      return decideApproval(tx, { approvalId, decision, decidedBy: principal.name });
    });
    const view = await this.viewOne(principal, approval);
    return { ...view, ...(narrowed ? { reason: NARROWED } : {}), won, narrowed };
  }

  private async list(principal: Principal, runId: string | null, request: ListRequest): Promise<ApprovalList> {
    const { organizationId } = principal;
    const scope = { organizationId, runId, ...runViewerOf(principal) };
    await this.watch.untilChanged(scope, request.wait, request.limit, request.caller);
    const { caller, rows } = await this.database.withTenant(organizationId, async (tx) => {
      const now = request.wait.waitMs === 0 ? principal : await afterWait(tx, principal, runId);
      return { caller: now, rows: await listApprovals(tx, { ...scope, ...runViewerOf(now) }, request.limit) };
    });
    return { approvals: await this.view(caller, rows), cursor: cursorOf(rows) };
  }

  private async viewOne(principal: Principal, row: ApprovalEntity): Promise<ApprovalView> {
    const [view] = await this.view(principal, [row]);
    if (view === undefined) throw new Error('an approval without a view');
    return view;
  }

  private async view(principal: Principal, rows: ApprovalEntity[]): Promise<ApprovalView[]> {
    const shown = await this.inputs.read(principal, rows);
    const covered =
      shown.size === 0
        ? new Map<string, string[]>()
        : await this.database.withTenant(principal.organizationId, (tx) =>
            coveredCalls(tx, [...shown.keys()], EXAMPLES),
          );
    return rows.map((row) => toApprovalView(row, shown.get(row.id) ?? null, covered.get(row.id)));
  }
}

/** Whoever waited may have lost their rights meanwhile. @throws SandgateError `unauthorized`, `not_found` */
async function afterWait(tx: TenantTransaction, principal: Principal, runId: string | null): Promise<Principal> {
  const now = await reauthorize(tx, principal);
  if (now === null) throw unauthorized();
  if (runId !== null) await requireVisible(tx, runViewerOf(now), runId);
  return now;
}

/** Tells the caller that `approved_session` was recorded as `approved_once`. */
const NARROWED = 'recorded as approved_once: the call has no scope key that a session grant could cover';
