import type { SignalDefinition } from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import type { BrokeredCallRef, BrokeredOutcome } from '../../domain/broker/dispatch.js';
import type { RunWakeUp } from '../../domain/run/outbox-kind.js';

/** A run as the driver knows it: ids only. */
export interface DrivenRun {
  organizationId: string;
  runId: string;
}

/** The names of the `run` workflow that callers share with it; given by the process that wires the driver. */
export interface RunWorkflowNames {
  workflowType: string;
  taskQueue: string;
  workflowId(runId: string): string;
  signals: Record<Exclude<RunWakeUp, 'created'>, SignalDefinition>;
}

/** The names of the update that callers share with the `run` workflow; given by the process that wires the driver. */
export interface BrokeredCallNames {
  workflowId(runId: string): string;
  brokeredCall: UpdateDefinition<BrokeredOutcome, [BrokeredCallRef]>;
  /** Types of the failures with which the workflow rejects an update. */
  brokeredRefusals: { ending: string; continuing: string };
}

/** The names of a workflow that is started once for each subject; given by the process that wires the driver. */
export interface StartedWorkflowNames {
  workflowType: string;
  taskQueue: string;
  workflowId(subjectId: string): string;
  /** What an operator reads of it in Temporal Web. */
  summary(subjectId: string): string;
}

/** The names of a workflow that a Temporal Schedule starts; given by the process that wires the driver. */
export interface ScheduledWorkflowNames extends StartedWorkflowNames {
  scheduleId(subjectId: string): string;
}
