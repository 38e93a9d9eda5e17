export { documentIngest } from './document-ingest.workflow.js';
export { pageBatch } from './page-batch.workflow.js';
export { relay } from './relay.workflow.js';
export { reapUploads, reconcileQuotas, sweepRetention, wakeMissing } from './maintenance.workflow.js';
export { webhookDelivery } from './webhook-delivery.workflow.js';
export { extractionRun } from './extraction-run.workflow.js';
