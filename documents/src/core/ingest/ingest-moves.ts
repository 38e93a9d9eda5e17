import type { DocumentKind, Warning } from '../../domain/page-model.js';
import type { RecordTransaction } from '../record/record.js';

/** A version that is to be read, as its row has it. */
export interface IngestSubject {
  attempt: number;
  documentId: string;
  projectId: string;
  documentName: string;
  version: number;
  blobKey: string;
  sizeBytes: number;
  /** As the client declared it, in hex; null when it did not. */
  declaredSha256: string | null;
  /** Where the bytes were hashed before, in hex. */
  sha256: string | null;
  /** What a reprocess asked for. */
  parseOptions: Record<string, unknown>;
  projectSettings: Record<string, unknown>;
}

/** An attempt to read a version: every move is for this attempt alone. */
export interface IngestAttempt {
  versionId: string;
  attempt: number;
}

/** What the bytes of a version were found to be. */
export interface Identified {
  sha256: string;
  kind: DocumentKind;
  contentType: string;
}

/** Why a version has nothing to read, or not all of it. */
export interface IngestError {
  /** A closed word such as `checksum_mismatch`. */
  code: string;
  message: string;
}

/** How an ingest ended. `stored` is kept and not read. */
export type IngestEnd = 'ready' | 'partial' | 'stored' | 'failed' | 'quarantined';

interface SubjectRow {
  attempt: number;
  document_id: string;
  project_id: string;
  document_name: string;
  version: number;
  blob_key: string;
  size_bytes: string;
  declared_sha256: Buffer | null;
  sha256: Buffer | null;
  parse_options: Record<string, unknown>;
  project_settings: Record<string, unknown>;
}

/** Takes a queued version, or goes on with one that is under way. Null when there is nothing to do. */
export async function beginIngest(tx: RecordTransaction, versionId: string): Promise<IngestSubject | null> {
  const [row] = await tx.query<SubjectRow>('select * from docsvc_begin_ingest($1)', [versionId]);
  if (row === undefined) return null;
  return {
    attempt: row.attempt,
    documentId: row.document_id,
    projectId: row.project_id,
    documentName: row.document_name,
    version: row.version,
    blobKey: row.blob_key,
    sizeBytes: Number(row.size_bytes),
    declaredSha256: row.declared_sha256?.toString('hex') ?? null,
    sha256: row.sha256?.toString('hex') ?? null,
    parseOptions: row.parse_options,
    projectSettings: row.project_settings,
  };
}

/** Notes the digest of the bytes in hex, so that no step hashes them again. */
export async function noteDigest(tx: RecordTransaction, at: IngestAttempt, sha256: string): Promise<void> {
  await tx.query('select docsvc_note_digest($1, $2, $3)', [at.versionId, at.attempt, Buffer.from(sha256, 'hex')]);
}

/** Notes digest and kind of a version that is not going to be read. */
export async function identifyVersion(tx: RecordTransaction, at: IngestAttempt, found: Identified): Promise<void> {
  await tx.query('select docsvc_identify_version($1, $2, $3, $4, $5)', [
    at.versionId,
    at.attempt,
    Buffer.from(found.sha256, 'hex'),
    found.kind,
    found.contentType,
  ]);
}

/**
 * Notes what the bytes are, and opens what is to hold their pages. The same bytes are not read twice, unless somebody asked for it. Null when the
 * version has gone on without the caller.
 *
 * @param parse.id of the new parse, where one is needed
 */
export async function openParse(
  tx: RecordTransaction,
  at: IngestAttempt,
  found: Identified,
  parse: { id: string; optionsDigest: Buffer; pageCount: number | null; warnings: readonly Warning[] },
): Promise<{ parseId: string; reused: boolean } | null> {
  const [row] = await tx.query<{ parse_id: string; reused: boolean }>(
    'select * from docsvc_open_parse($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    [
      at.versionId,
      at.attempt,
      parse.id,
      Buffer.from(found.sha256, 'hex'),
      parse.optionsDigest,
      found.kind,
      found.contentType,
      parse.pageCount,
      JSON.stringify(parse.warnings),
    ],
  );
  return row === undefined ? null : { parseId: row.parse_id, reused: row.reused };
}

/** @returns false when the version has gone on without the caller */
export async function moveIngest(
  tx: RecordTransaction,
  at: IngestAttempt,
  to: { status: 'processing' | 'indexing'; stage: 'validate' | 'parse' | 'ocr' | 'tables' | 'index' },
): Promise<boolean> {
  const [row] = await tx.query<{ moved: boolean }>('select docsvc_move_ingest($1, $2, $3, $4) as moved', [
    at.versionId,
    at.attempt,
    to.status,
    to.stage,
  ]);
  return row?.moved === true;
}

/** Pages that were read for the organization in this month, which its quota counts. */
export async function pagesOfMonth(tx: RecordTransaction): Promise<number> {
  const [row] = await tx.query<{ pages: string }>('select docsvc_pages_of_month() as pages');
  return Number(row?.pages ?? 0);
}

/** Adds time that was lost to limits. @returns the sum of this attempt in milliseconds */
export async function noteLostTime(tx: RecordTransaction, at: IngestAttempt, ms: number): Promise<number> {
  const [row] = await tx.query<{ lost: number | null }>('select docsvc_note_lost_time($1, $2, $3) as lost', [
    at.versionId,
    at.attempt,
    ms,
  ]);
  return row?.lost ?? 0;
}

/** Puts a page on the list of those that could not be read. */
export async function failPage(
  tx: RecordTransaction,
  at: IngestAttempt,
  parseId: string,
  page: { pageNumber: number; code: string; message: string },
): Promise<void> {
  await tx.query('select docsvc_fail_page($1, $2, $3, $4, $5)', [
    at.versionId,
    at.attempt,
    parseId,
    page.pageNumber,
    JSON.stringify(page),
  ]);
}

/** How reading went. */
export interface ParseSum {
  /** Pages that the document has. */
  pageCount: number;
  readPages: number;
  failedPages: number;
}

export async function sumUpParse(tx: RecordTransaction, parseId: string): Promise<ParseSum> {
  const [row] = await tx.query<{ page_count: number; read_pages: number; failed_pages: number }>(
    'select * from docsvc_sum_up_parse($1)',
    [parseId],
  );
  return { pageCount: row?.page_count ?? 0, readPages: row?.read_pages ?? 0, failedPages: row?.failed_pages ?? 0 };
}

/**
 * Ends an attempt, in the caller's transaction with the event that tells of it.
 *
 * @returns which version that was; null when it was ended before, or has gone on to another attempt
 */
export async function finishIngest(
  tx: RecordTransaction,
  at: IngestAttempt,
  end: { status: IngestEnd; parseId: string | null; error: IngestError | null },
): Promise<{ projectId: string; documentId: string; version: number } | null> {
  const [row] = await tx.query<{ project_id: string; document_id: string; version: number }>(
    'select * from docsvc_finish_ingest($1, $2, $3, $4, $5)',
    [at.versionId, at.attempt, end.parseId, end.status, end.error === null ? null : JSON.stringify(end.error)],
  );
  return row === undefined ? null : { projectId: row.project_id, documentId: row.document_id, version: row.version };
}

/** Has a terminal version read again. @returns the number of the attempt; null when the version is under way */
export async function requeueVersion(
  tx: RecordTransaction,
  versionId: string,
  options: Record<string, unknown>,
): Promise<number | null> {
  const [row] = await tx.query<{ attempt: number | null }>('select docsvc_requeue_version($1, $2) as attempt', [
    versionId,
    JSON.stringify(options),
  ]);
  return row?.attempt ?? null;
}
