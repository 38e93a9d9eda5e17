import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy, type Client } from '@temporalio/client';
import type { DrivenRun, NoticeWorkflowNames } from './workflow-names.js';

/** Starts the workflow that tells people of a pending approval. Starting one that runs, or whose record is final, changes nothing. */
export class NoticeStarter {
  constructor(
    private readonly client: Client,
    private readonly names: NoticeWorkflowNames,
  ) {}

  async start(approval: DrivenRun & { approvalId: string }): Promise<void> {
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
