import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { searchAttributes } from './messages.js';

/** What an operator sees of an ingest in Temporal Web. */
export type IngestStage = 'validate' | 'parse' | 'tables' | 'index' | 'finish';

/** @param details one sentence: what is being done, or waited for */
export function show(stage: IngestStage, details: string): void {
  setCurrentDetails(`${stage}: ${details}`);
}

/** Only where the namespace knows the attributes: else the workflow would not go on. */
export function index(orgId: string, stage: IngestStage): void {
  upsertSearchAttributes([
    { key: searchAttributes.organization, value: orgId },
    { key: searchAttributes.stage, value: stage },
  ]);
}
