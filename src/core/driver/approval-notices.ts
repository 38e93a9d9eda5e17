import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy, type Client } from '@temporalio/client';
import { listUnnoticed, listUnnoticedApprovals } from '../approvals/notice-records.js';
import type { Database } from '../record/database.js';
import type { OutboxKind } from '../record/outbox.js';
import { RunDriver, type DrivenRun, type RunWorkflowNames } from './run-driver.js';

/** The names of the notice's workflow that callers share with it; given by the process that wires the driver. */
export interface NoticeWorkflowNames {
  workflowType: string;
  taskQueue: string;
  workflowId(approvalId: string): string;
}

const BATCH = 500;

/** Starts the workflow that tells people of a pending approval. Starting one that runs, or whose record is final, changes nothing. */
export class ApprovalNotices {
  constructor(
    private readonly client: Client,
    private readonly names: NoticeWorkflowNames,
    private readonly database: Database,
  ) {}

  /** For every pending approval of a run that was not told of yet. */
  async startOf({ organizationId, sessionId }: DrivenRun): Promise<void> {
    const ids = await this.database.withTenant(organizationId, (tx) => listUnnoticed(tx, sessionId));
    for (const approvalId of ids) await this.start({ organizationId, sessionId, approvalId });
  }

  /** For approvals that have been pending for `olderThanMs` with no notice on record: a driver that lost its store has none. */
  async startMissing(olderThanMs: number): Promise<void> {
    for (const approval of await listUnnoticedApprovals(this.database.pool, olderThanMs, BATCH))
      await this.start(approval);
  }

  private async start(approval: DrivenRun & { approvalId: string }): Promise<void> {
    await this.client.workflow.start(this.names.workflowType, {
      workflowId: this.names.workflowId(approval.approvalId),
      taskQueue: this.names.taskQueue,
      args: [approval],
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      staticSummary: `Notice of approval ${approval.approvalId}`,
    });
  }
}

/**
 * A driver of runs that also has people told when a call waits for them. The wake-up's row in the outbox is deleted only after both,
 * so that a crash between them loses neither (docs/design/workflows.md).
 */
export class TellingRunDriver extends RunDriver {
  constructor(
    private readonly notices: ApprovalNotices,
    ...driver: [client: Client, names: RunWorkflowNames, workflowTaskTimeoutMs: number]
  ) {
    super(...driver);
  }

  override async wake(run: DrivenRun, wakeUp: OutboxKind): Promise<void> {
    await super.wake(run, wakeUp);
    if (wakeUp === 'approval_requested') await this.notices.startOf(run);
  }
}
