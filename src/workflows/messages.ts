import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { BrokeredCallRef, BrokeredOutcome } from '../domain/broker/dispatch.js';
import type { RunSearchAttribute } from '../domain/run/search-attributes.js';

/** Names that callers of the workflows share with them: queues, ids, signals, queries and search attributes. */
export const CONTROL_QUEUE = 'sandgate';
export const RELAY_WORKFLOW_ID = 'relay';
export const MAINTENANCE_SCHEDULE_ID = 'maintenance';

/** One workflow per run; the id lets an operator find a run in Temporal Web. */
export function runWorkflowId(runId: string): string {
  return `run-${runId}`;
}

/** The queue of all short steps that need the sandbox host. */
export function hostQueue(hostId: string): string {
  return `host-${hostId}`;
}

/** Supervision of live sandboxes; a queue of its own, so that it never starves finalization. */
export function hostWatchQueue(hostId: string): string {
  return `host-${hostId}-watch`;
}

/** Signals carry nothing: they say which row to read again, and the row decides. */
export const approvalRequested = defineSignal('approvalRequested');
export const approvalDecided = defineSignal('approvalDecided');
export const finalizationRequested = defineSignal('finalizationRequested');
export const capacityGranted = defineSignal('capacityGranted');

/** Dispatches one brokered call; its id is a hash of the claim's key, so a call that is presented again joins its first update. */
export const brokeredCall = defineUpdate<BrokeredOutcome, [BrokeredCallRef]>('brokeredCall');

/** Why an update is rejected before anything is written: the run winds down, or is about to go on in a new execution. */
export const BROKERED_REFUSALS = { ending: 'run_ending', continuing: 'run_continuing' } as const;

/** One workflow per approval, so that however often it is started there is one notice. */
export const approvalNoticeWorkflow = {
  workflowType: 'approvalNotice',
  taskQueue: CONTROL_QUEUE,
  workflowId: (approvalId: string): string => `approval-notice-${approvalId}`,
  summary: (approvalId: string): string => `Notice of approval ${approvalId}`,
};

/** One workflow per delivery of a result, and one more each time that it is sent again. */
export const resultDeliveryWorkflow = {
  workflowType: 'resultDelivery',
  taskQueue: CONTROL_QUEUE,
  workflowId: (wayId: string): string => `delivery-${wayId}`,
  summary: (wayId: string): string => `Delivery ${wayId} of a result`,
};

/** One workflow per stored webhook. */
export const ingressEventWorkflow = {
  workflowType: 'ingressEvent',
  taskQueue: CONTROL_QUEUE,
  workflowId: (deliveryId: string): string => `ingress-event-${deliveryId}`,
  summary: (deliveryId: string): string => `Webhook ${deliveryId}`,
};

/** One short workflow each time that Temporal wakes a schedule. */
export const scheduledInvocationWorkflow = {
  workflowType: 'scheduledInvocation',
  taskQueue: CONTROL_QUEUE,
  scheduleId: (subscriptionId: string): string => `trigger-${subscriptionId}`,
  workflowId: (subscriptionId: string): string => `trigger-${subscriptionId}`,
  summary: (subscriptionId: string): string => `Schedule of trigger ${subscriptionId}`,
};

export const phaseQuery = defineQuery<string>('phase');

export const searchAttributes = {
  organization: defineSearchAttributeKey('SandgateOrg' satisfies RunSearchAttribute, SearchAttributeType.KEYWORD),
  agent: defineSearchAttributeKey('SandgateAgent' satisfies RunSearchAttribute, SearchAttributeType.KEYWORD),
  status: defineSearchAttributeKey('SandgateStatus' satisfies RunSearchAttribute, SearchAttributeType.KEYWORD),
  pendingApprovals: defineSearchAttributeKey(
    'SandgatePendingApprovals' satisfies RunSearchAttribute,
    SearchAttributeType.INT,
  ),
};

/** What a caller needs to start and wake `run` workflows. */
export const runWorkflow = {
  workflowType: 'run',
  taskQueue: CONTROL_QUEUE,
  workflowId: runWorkflowId,
  brokeredCall,
  brokeredRefusals: BROKERED_REFUSALS,
  signals: {
    finalization_requested: finalizationRequested,
    approval_requested: approvalRequested,
    approval_decided: approvalDecided,
    capacity: capacityGranted,
  },
};

/** What rows of the outbox, and those of schedules, start and wake. */
export const DRIVEN_WORKFLOWS = {
  run: runWorkflow,
  notice: approvalNoticeWorkflow,
  delivery: resultDeliveryWorkflow,
  event: ingressEventWorkflow,
  schedule: scheduledInvocationWorkflow,
};
