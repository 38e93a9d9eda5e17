import type { JsonObject } from '../../../../src/domain/json.js';
import type { ResultParts } from '../../domain/extraction/run/result-parts.js';
import type { RunError } from '../../domain/extraction/run/run-errors.js';
import { appendEvent } from '../events/append-event.js';
import type { RecordTransaction } from '../record/record.js';
import type { EndedStatus, ExtractionMode, ExtractionStatus, RunWarning } from './extraction.entity.js';

/** An attempt of a run: every move is for this attempt alone. */
export interface RunAttempt {
  extractionId: string;
  attempt: number;
}

/** A run as its workflow takes it up. */
export interface BegunRun {
  projectId: string;
  attempt: number;
  status: Extract<ExtractionStatus, 'waiting' | 'running' | 'cancelling'>;
  /** Whether this call brought it there. */
  entered: boolean;
  /** What is left of the time that it may wait for its versions. */
  waitMs: number;
}

interface BegunRow {
  project_id: string;
  external_id: string;
  attempt: number;
  status: BegunRun['status'];
  entered: boolean;
  wait_ms: number;
  schema_id: string;
  schema_version_id: string;
}

/** Takes up a run, and tells when it begins. @param waitSeconds that it may wait in all. @returns null when there is nothing to do */
export async function beginExtraction(
  tx: RecordTransaction,
  extractionId: string,
  waitSeconds: number,
): Promise<BegunRun | null> {
  const [row] = await tx.query<BegunRow>('select * from docsvc_begin_extraction($1, $2)', [extractionId, waitSeconds]);
  if (row === undefined) return null;
  const { project_id: projectId, attempt, status, entered, wait_ms: waitMs } = row;
  if (status === 'running' && entered) await announce(tx, { ...toldOf(row), id: extractionId, attempt, status });
  return { projectId, attempt, status, entered, waitMs };
}

/** Numbers of items that are still to be done, in their order. */
export async function listOpenItems(
  tx: RecordTransaction,
  { extractionId, attempt }: RunAttempt,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await tx.query<{ item_number: number }>(
    'select item_number from docsvc_list_open_items($1, $2, $3, $4) as item_number',
    [extractionId, attempt, after, limit],
  );
  return rows.map((row) => row.item_number);
}

/** What is to be done for an item. */
export interface OpenItem {
  id: string;
  mode: ExtractionMode;
  pages: { first: number; last: number };
  minConfidence: number | null;
  jsonSchema: JsonObject;
  versionIds: string[];
}

interface ItemRow {
  id: string;
  mode: ExtractionMode;
  first_page: number | null;
  last_page: number | null;
  min_confidence: number | null;
  json_schema: JsonObject;
  version_ids: string[];
}

/** Null when it is not to be done any more. */
export async function readOpenItem(
  tx: RecordTransaction,
  { extractionId, attempt }: RunAttempt,
  itemNumber: number,
): Promise<OpenItem | null> {
  const [row] = await tx.query<ItemRow>('select * from docsvc_read_item($1, $2, $3)', [
    extractionId,
    attempt,
    itemNumber,
  ]);
  if (row === undefined) return null;
  return {
    id: row.id,
    mode: row.mode,
    pages: { first: row.first_page ?? 1, last: row.last_page ?? Number.MAX_SAFE_INTEGER },
    minConfidence: row.min_confidence,
    jsonSchema: row.json_schema,
    versionIds: row.version_ids,
  };
}

/** A version that a run reads, and what was read of it. */
export interface RunSource {
  version_id: string;
  version: number;
  document_id: string;
  document_name: string;
  is_deleted: boolean;
  status: string;
  parse_id: string | null;
  page_count: number;
  failed_pages: number[];
}

/** In the order of the ids; those that were purged are missing. */
export function listSources(tx: RecordTransaction, versionIds: readonly string[]): Promise<RunSource[]> {
  return tx.query<RunSource>('select * from docsvc_list_sources($1)', [versionIds]);
}

/** What an item came to. */
export interface ItemEnd {
  status: 'completed' | 'partial' | 'failed';
  parts: ResultParts | null;
  pages: number;
  milliseconds: number;
  warnings: RunWarning[];
  error: RunError | null;
}

/** Ends an item once. @returns false when it was ended before, or the run has gone on without it */
export async function finishItem(
  tx: RecordTransaction,
  { extractionId, attempt }: RunAttempt,
  itemNumber: number,
  end: ItemEnd,
): Promise<boolean> {
  const [row] = await tx.query<{ finished: boolean }>(
    'select docsvc_finish_item($1, $2, $3, $4, $5, $6, $7, $8, $9) as finished',
    [
      ...[extractionId, attempt, itemNumber, end.status, end.parts, end.pages, Math.round(end.milliseconds)],
      ...[JSON.stringify(end.warnings), end.error],
    ],
  );
  return row?.finished === true;
}

/** How a run ended. */
export interface EndedRun {
  status: EndedStatus;
  failedItems: number;
  items: number;
}

interface EndedRow extends BegunRowsId {
  status: EndedStatus;
  error: RunError | null;
  items_total: number;
  items_failed: number;
}

interface BegunRowsId {
  project_id: string;
  external_id: string;
  schema_id: string;
  schema_version_id: string;
}

/**
 * Ends an attempt by what its items came to, and tells of it, both or neither, and once.
 *
 * @param unfinished what items that are not done failed by
 * @param resultOf JSON of what it came to, where somebody wants it with the event
 * @returns null when it was ended before
 */
export async function finishExtraction(
  tx: RecordTransaction,
  { extractionId, attempt }: RunAttempt,
  unfinished: RunError,
  resultOf: (status: EndedStatus) => string | null,
): Promise<EndedRun | null> {
  const [row] = await tx.query<EndedRow>('select * from docsvc_finish_extraction($1, $2, $3)', [
    extractionId,
    attempt,
    unfinished,
  ]);
  if (row === undefined) return null;
  const { status, error } = row;
  const told = { ...toldOf(row), id: extractionId, attempt, status, error };
  await announce(tx, told, resultOf(status));
  return { status, failedItems: row.items_failed, items: row.items_total };
}

/** Whether somebody wants what runs of the project came to with their events. */
export async function wantsResults(tx: RecordTransaction, projectId: string): Promise<boolean> {
  const [row] = await tx.query<{ wanted: boolean }>('select docsvc_wants_results($1) as wanted', [projectId]);
  return row?.wanted === true;
}

/** Asks a run to stop. @returns null when it has ended already; else whether this call asked first */
export async function cancelExtraction(tx: RecordTransaction, id: string): Promise<boolean | null> {
  const [row] = await tx.query<{ asked: boolean | null }>('select docsvc_cancel_extraction($1) as asked', [id]);
  return row?.asked ?? null;
}

interface ToldRun {
  id: string;
  projectId: string;
  externalId: string;
  schemaId: string;
  schemaVersionId: string;
  attempt: number;
  status: ExtractionStatus;
  error?: RunError | null;
}

function toldOf(row: BegunRowsId): Pick<ToldRun, 'projectId' | 'externalId' | 'schemaId' | 'schemaVersionId'> {
  return {
    projectId: row.project_id,
    externalId: row.external_id,
    schemaId: row.schema_id,
    schemaVersionId: row.schema_version_id,
  };
}

async function announce(
  tx: RecordTransaction,
  { id, projectId, error, status, ...run }: ToldRun,
  result: string | null = null,
): Promise<void> {
  const extraction = `/api/v2/extractions/${id}`;
  const hasResult = status === 'completed' || status === 'partial';
  await appendEvent(tx, {
    type: `extraction.${status === 'running' ? 'started' : status}`,
    projectId,
    data: {
      ...{ extractionId: id, ...run, status },
      ...(error === undefined || error === null ? {} : { error: { ...error } }),
      links: { extraction, ...(hasResult ? { result: `${extraction}/result` } : {}) },
    },
    result,
  });
}
