import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy, type Client } from '@temporalio/client';
import type { StartedWorkflowNames } from './workflow-names.js';

/** Starts workflows of one kind, one for each subject. Starting one that runs, or whose record is final, changes nothing. */
export class WorkflowStarter<Subject extends { organizationId: string }> {
  constructor(
    private readonly client: Client,
    private readonly names: StartedWorkflowNames,
  ) {}

  /**
   * @param id of the subject's row; ids, digests and numbers are all that `subject` may hold
   * @throws the client's error when Temporal cannot be reached
   */
  async start(id: string, subject: Subject): Promise<void> {
    await this.client.workflow.start(this.names.workflowType, {
      workflowId: this.names.workflowId(id),
      taskQueue: this.names.taskQueue,
      args: [subject],
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      staticSummary: this.names.summary(id),
    });
  }
}
