import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineSignal } from '@temporalio/workflow';

/** Names that callers of the workflows share with them: queues, ids, signals and search attributes. */
export const INGEST_QUEUE = 'docsvc-ingest';
/** Hashing of large files; a queue of its own, so that none of its hours keeps a short step waiting. */
export const HASH_QUEUE = 'docsvc-hash';
/** Parsers, as many at once as there is memory for. */
export const PARSE_QUEUE = 'docsvc-parse';
/** Recognition of pages; a queue of its own, so that scans never keep texts waiting. */
export const OCR_QUEUE = 'docsvc-ocr';
/** Extraction from one document; engines take a core each. */
export const EXTRACT_QUEUE = 'docsvc-extract';
/** Attempts to deliver; receivers that take their time keep no step of an ingest waiting. */
export const WEBHOOK_QUEUE = 'docsvc-webhooks';

export const RELAY_WORKFLOW_ID = 'relay';

/** What is done again and again, each by a workflow of its own that a schedule starts. */
export const DUTIES = [
  { scheduleId: 'missing-ingests', every: '1 minute', workflowType: 'wakeMissing', summary: 'Wakes what nobody reads' },
  {
    scheduleId: 'upload-reaper',
    every: '15 minutes',
    workflowType: 'reapUploads',
    summary: 'Ends uploads that nobody goes on with',
  },
  {
    scheduleId: 'quota-reconcile',
    every: '1 hour',
    workflowType: 'reconcileQuotas',
    summary: 'Counts anew what quotas count',
  },
  {
    scheduleId: 'retention-sweep',
    every: '1 day',
    workflowType: 'sweepRetention',
    summary: 'Purges what is past its time',
  },
] as const;

/** Says which row to read again, and carries nothing: the row decides. */
export const woken = defineSignal('woken');

/** One workflow per version; the id lets an operator find it in Temporal Web. */
export const documentIngestWorkflow = {
  workflowType: 'documentIngest',
  taskQueue: INGEST_QUEUE,
  workflowId: (versionId: string): string => `ingest/${versionId}`,
  summary: (versionId: string): string => `Reads version ${versionId} of a document`,
  woken,
};

/** One workflow per delivery of an event to a webhook. */
export const webhookDeliveryWorkflow = {
  workflowType: 'webhookDelivery',
  // A second queue with workflows would cost each worker another isolate; only the attempts have a queue of their own.
  taskQueue: INGEST_QUEUE,
  workflowId: (deliveryId: string): string => `deliver/${deliveryId}`,
  summary: (deliveryId: string): string => `Delivery ${deliveryId} of an event to a webhook`,
  woken,
};

/** One workflow per run of extraction, called by its project and a digest of its external id. */
export const extractionRunWorkflow = {
  workflowType: 'extractionRun',
  taskQueue: INGEST_QUEUE,
  workflowId: (name: string): string => `extract/${name}`,
  summary: (extractionId: string): string => `Run of extraction ${extractionId}`,
  woken,
};

/** What rows of the outbox start and wake. */
export const WOKEN_WORKFLOWS = {
  ingest: documentIngestWorkflow,
  deliver: webhookDeliveryWorkflow,
  extract: extractionRunWorkflow,
};

export const searchAttributes = {
  organization: defineSearchAttributeKey('DocsvcOrg', SearchAttributeType.KEYWORD),
  stage: defineSearchAttributeKey('DocsvcStage', SearchAttributeType.KEYWORD),
};

/** One child for each batch of pages of an attempt. */
export function batchWorkflowId(versionId: string, attempt: number, firstPage: number): string {
  return `ingest/${versionId}/${attempt}/${firstPage}`;
}
