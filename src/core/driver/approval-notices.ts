import { listUnnoticed, listUnnoticedApprovals } from '../approvals/notice-records.js';
import type { Database } from '../record/database.js';
import type { DrivenRun } from '../../platform/temporal/workflow-names.js';
import type { WorkflowStarter } from '../../platform/temporal/workflow-starter.js';

const BATCH = 500;

/** Starts the notices of pending approvals, one each. */
export class ApprovalNotices {
  constructor(
    private readonly starter: WorkflowStarter<DrivenRun & { approvalId: string }>,
    private readonly database: Database,
  ) {}

  /** For every pending approval of a run that has no notice yet. */
  async startOf({ organizationId, runId }: DrivenRun): Promise<void> {
    const ids = await this.database.withTenant(organizationId, (tx) => listUnnoticed(tx, runId));
    for (const approvalId of ids) await this.starter.start(approvalId, { organizationId, runId, approvalId });
  }

  /**
   * For approvals that have been pending for `olderThanMs` with no notice on record: a driver that lost its store has lost them.
   */
  async startMissing(olderThanMs: number): Promise<void> {
    for (const approval of await listUnnoticedApprovals(this.database.pool, olderThanMs, BATCH))
      await this.starter.start(approval.approvalId, approval);
  }
}
