import {
  type Client,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  type WorkflowSignalWithStartOptions,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { RunWakeUp } from '../../domain/run/outbox-kind.js';
import type { DrivenRun, RunWorkflowNames } from './workflow-names.js';

/** Starts and wakes `run` workflows. Every wake-up also starts a workflow that is not there, so a lost store loses no run. */
export class RunDriver {
  constructor(
    private readonly client: Client,
    private readonly names: RunWorkflowNames,
    private readonly workflowTaskTimeoutMs: number,
  ) {}

  /** @throws the client's error when Temporal cannot be reached; the caller keeps its outbox row. */
  async wake(run: DrivenRun, wakeUp: RunWakeUp): Promise<void> {
    if (wakeUp === 'created') {
      await this.client.workflow.start(this.names.workflowType, this.startOptions(run));
      return;
    }
    const options: WorkflowSignalWithStartOptions = { ...this.startOptions(run), signal: this.names.signals[wakeUp] };
    await this.client.workflow.signalWithStart(this.names.workflowType, options);
  }

  private startOptions(run: DrivenRun): WorkflowStartOptions {
    return {
      workflowId: this.names.workflowId(run.runId),
      taskQueue: this.names.taskQueue,
      args: [{ organizationId: run.organizationId, runId: run.runId }],
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowTaskTimeout: this.workflowTaskTimeoutMs,
      staticSummary: `Run ${run.runId}`,
    };
  }
}
