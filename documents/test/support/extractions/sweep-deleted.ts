import { purgeDocument } from '../../../src/core/maintenance/purge-document.js';
import type { ExtractionBench } from './extraction-bench.js';

/** Purges a document that was deleted, as the sweep of retention does thirty days later. */
export async function sweepDeleted({ ground, store }: ExtractionBench, documentId: string): Promise<void> {
  const { record, orgId, projectId } = ground;
  const owners = await record.inOrganization(orgId, (tx) => purgeDocument(tx, documentId, projectId));
  for (const owner of owners) await store.deleteOwner(owner);
}
