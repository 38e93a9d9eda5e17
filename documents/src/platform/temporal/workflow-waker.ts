import {
  type Client,
  type SignalDefinition,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/client';

/** A row as its workflow knows it: ids only. */
export interface WokenSubject {
  orgId: string;
  subjectId: string;
  /** What the workflow is called by, where that is not the subject. */
  workflowName?: string | null;
}

/** The names of a workflow that is started or woken for each subject; given by the process that wires the driver. */
export interface WokenWorkflowNames {
  workflowType: string;
  taskQueue: string;
  /** @param name the subject, or what the workflow is called by in its place */
  workflowId(name: string): string;
  /** What an operator reads of it in Temporal Web. */
  summary(subjectId: string): string;
  /** Tells a workflow that runs already to read its row again. */
  woken: SignalDefinition;
}

/** Starts the workflow of a subject, or wakes the one that runs: a wake-up that meets a workflow about to close is not lost with it. */
export class WorkflowWaker {
  constructor(
    private readonly client: Client,
    private readonly names: WokenWorkflowNames,
    private readonly workflowTaskTimeoutMs: number,
  ) {}

  /** @throws the client's error when Temporal cannot be reached; the caller keeps its outbox row */
  async wake({ orgId, subjectId, workflowName }: WokenSubject): Promise<void> {
    await this.client.workflow.signalWithStart(this.names.workflowType, {
      workflowId: this.names.workflowId(workflowName ?? subjectId),
      taskQueue: this.names.taskQueue,
      args: [{ orgId, subjectId }],
      signal: this.names.woken,
      workflowTaskTimeout: this.workflowTaskTimeoutMs,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      staticSummary: this.names.summary(subjectId),
    });
  }
}
