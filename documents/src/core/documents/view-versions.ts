import type { JsonValue } from '../../../../src/domain/json.js';
import { DocsvcError } from '../../domain/errors.js';
import type { RecordTransaction } from '../record/record.js';
import type { VersionStage, VersionStatus } from './document-version.entity.js';

/** A version with what reading it came to. */
export interface VersionView {
  id: string;
  documentId: string;
  projectId: string;
  version: number;
  blobKey: string;
  contentType: string | null;
  sizeBytes: number;
  /** Null until its bytes have been read. */
  sha256: Buffer | null;
  status: VersionStatus;
  stage: VersionStage | null;
  pagesDone: number;
  pagesTotal: number | null;
  pageCount: number | null;
  ocrPages: number;
  failedPages: number[];
  language: string | null;
  warnings: JsonValue[];
  error: { code: string; message: string } | null;
  createdAt: Date;
  readyAt: Date | null;
  /** What holds its pages; of a version that is read again, and where that fails, still what was read before. */
  parseId: string | null;
}

/** Versions of a document, newest first, below one of them. */
export async function listVersions(
  tx: RecordTransaction,
  documentId: string,
  page: { before: number | null; limit: number },
): Promise<VersionView[]> {
  const rows = await tx.query<VersionSql>('select * from docsvc_view_versions($1, null, $2, $3)', [
    documentId,
    page.before,
    page.limit,
  ]);
  return rows.map(toView);
}

/** @throws DocsvcError `not_found` */
export async function readVersion(tx: RecordTransaction, documentId: string, version: number): Promise<VersionView> {
  const [row] = await tx.query<VersionSql>('select * from docsvc_view_versions($1, $2, null, 1)', [
    documentId,
    version,
  ]);
  if (row === undefined) throw new DocsvcError('not_found', `this document has no version ${version}`);
  return toView(row);
}

interface VersionSql {
  id: string;
  document_id: string;
  project_id: string;
  version: number;
  blob_key: string;
  content_type: string | null;
  size_bytes: string;
  sha256: Buffer | null;
  status: VersionStatus;
  stage: VersionStage | null;
  pages_done: number;
  pages_total: number | null;
  page_count: number | null;
  ocr_pages: number;
  failed_pages: number[];
  language: string | null;
  warnings: JsonValue[];
  error: { code: string; message: string } | null;
  created_at: Date;
  ready_at: Date | null;
  parse_id: string | null;
}

function toView(row: VersionSql): VersionView {
  return {
    id: row.id,
    documentId: row.document_id,
    projectId: row.project_id,
    version: row.version,
    blobKey: row.blob_key,
    contentType: row.content_type,
    sizeBytes: Number(row.size_bytes),
    sha256: row.sha256,
    status: row.status,
    stage: row.stage,
    pagesDone: row.pages_done,
    pagesTotal: row.pages_total,
    pageCount: row.page_count,
    ocrPages: row.ocr_pages,
    failedPages: row.failed_pages,
    language: row.language,
    warnings: row.warnings,
    error: row.error,
    createdAt: row.created_at,
    readyAt: row.ready_at,
    parseId: row.parse_id,
  };
}
