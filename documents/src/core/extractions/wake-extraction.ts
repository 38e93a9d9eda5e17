import { createHash } from 'node:crypto';
import { wake } from '../driver/wake.js';
import type { RecordTransaction } from '../record/record.js';

/** A run, as far as its workflow is named by it. */
export interface NamedExtraction {
  id: string;
  projectId: string;
  externalId: string;
}

/** By what the workflow of a run is called: its project, and a digest of what may say anything. */
export function workflowNameOf({ projectId, externalId }: Omit<NamedExtraction, 'id'>): string {
  return `${projectId}/${createHash('sha256').update(externalId).digest('hex')}`;
}

/** Leaves a wake-up for the workflow of a run in the caller's transaction. */
export function wakeExtraction(tx: RecordTransaction, run: NamedExtraction): Promise<void> {
  return wake(tx, 'extract', run.id, workflowNameOf(run));
}

interface WaitingRow {
  extraction_id: string;
  project_id: string;
  external_id: string;
}

/** Wakes the runs that waited for this version and now for no other one. */
export async function wakeWaiting(tx: RecordTransaction, versionId: string): Promise<void> {
  const rows = await tx.query<WaitingRow>('select * from docsvc_list_waiting_extractions($1)', [versionId]);
  for (const { extraction_id: id, project_id: projectId, external_id: externalId } of rows)
    await wakeExtraction(tx, { id, projectId, externalId });
}
