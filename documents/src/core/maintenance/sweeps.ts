import { workflowNameOf } from '../extractions/wake-extraction.js';
import type { Record, RecordTransaction } from '../record/record.js';

/** Calls functions that work across organizations. */
type Asking = Pick<Record, 'query'>;

/** A document of some organization. */
export interface SweptDocument {
  orgId: string;
  documentId: string;
}

/** Versions of all organizations that somebody should be reading, by id; page with the last one. */
export async function listUnreadVersions(
  record: Asking,
  olderThanMs: number,
  after: string | null,
  limit: number,
): Promise<{ orgId: string; versionId: string }[]> {
  const rows = await record.query<{ org_id: string; version_id: string }>(
    'select org_id, version_id from docsvc_list_unread_versions($1, $2, $3)',
    [olderThanMs, after, limit],
  );
  return rows.map((row) => ({ orgId: row.org_id, versionId: row.version_id }));
}

/** A run of extraction that somebody should be driving. */
export interface OpenExtraction {
  orgId: string;
  subjectId: string;
  workflowName: string;
}

/** Runs of all organizations that are under way, by id; page with the last one. */
export async function listOpenExtractions(
  record: Asking,
  olderThanMs: number,
  after: string | null,
  limit: number,
): Promise<OpenExtraction[]> {
  const rows = await record.query<{ org_id: string; extraction_id: string; project_id: string; external_id: string }>(
    'select org_id, extraction_id, project_id, external_id from docsvc_list_open_extractions($1, $2, $3)',
    [olderThanMs, after, limit],
  );
  return rows.map((row) => ({
    orgId: row.org_id,
    subjectId: row.extraction_id,
    workflowName: workflowNameOf({ projectId: row.project_id, externalId: row.external_id }),
  }));
}

/** Documents that their projects keep no longer; they are not deleted yet. */
export async function listOutlivedDocuments(record: Asking, days: number, limit: number): Promise<SweptDocument[]> {
  const rows = await record.query<{ org_id: string; document_id: string }>(
    'select org_id, document_id from docsvc_list_outlived_documents($1, $2)',
    [days, limit],
  );
  return rows.map((row) => ({ orgId: row.org_id, documentId: row.document_id }));
}

/** Documents that were deleted so many days ago. */
export async function listPurgeableDocuments(
  record: Asking,
  days: number,
  limit: number,
): Promise<(SweptDocument & { projectId: string })[]> {
  const rows = await record.query<{ org_id: string; document_id: string; project_id: string }>(
    'select org_id, document_id, project_id from docsvc_list_purgeable_documents($1, $2)',
    [days, limit],
  );
  return rows.map((row) => ({ orgId: row.org_id, documentId: row.document_id, projectId: row.project_id }));
}

/** Projects that were archived so many days ago and hold nothing any more that has to be purged before them. */
export async function listPurgeableProjects(
  record: Asking,
  days: number,
  limit: number,
): Promise<{ orgId: string; projectId: string }[]> {
  const rows = await record.query<{ org_id: string; project_id: string }>(
    'select org_id, project_id from docsvc_list_purgeable_projects($1, $2)',
    [days, limit],
  );
  return rows.map((row) => ({ orgId: row.org_id, projectId: row.project_id }));
}

/** Parses of all organizations that no version uses and nobody has put aside. */
export async function listUnusedParses(record: Asking, limit: number): Promise<{ orgId: string; parseId: string }[]> {
  const rows = await record.query<{ org_id: string; parse_id: string }>(
    'select org_id, parse_id from docsvc_list_unused_parses($1)',
    [limit],
  );
  return rows.map((row) => ({ orgId: row.org_id, parseId: row.parse_id }));
}

/** Puts a parse aside, unless a version has begun to use it. */
export async function retireParse(tx: RecordTransaction, parseId: string): Promise<void> {
  await tx.query('select docsvc_retire_parse($1)', [parseId]);
}

/** Removes what was read and serves nobody any more. @returns the ids under which its blobs are */
export async function sweepParses(record: Asking, limit: number): Promise<string[]> {
  const rows = await record.query<{ id: string }>('select docsvc_sweep_parses($1) as id', [limit]);
  return rows.map(({ id }) => id);
}

/** Counts anew what organizations keep. @returns how many counters were wrong */
export async function reconcileUsage(record: Asking): Promise<number> {
  const [row] = await record.query<{ healed: number }>('select docsvc_reconcile_usage() as healed');
  return row?.healed ?? 0;
}
