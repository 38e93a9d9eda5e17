import type { JsonObject } from '../../../../src/domain/json.js';
import type { ResultParts } from '../../domain/extraction/run/result-parts.js';
import type { RunError } from '../../domain/extraction/run/run-errors.js';
import type { RecordTransaction } from '../record/record.js';
import type { RunAttempt } from './extraction-moves.js';
import type { ExtractionMode, RunWarning } from './extraction.entity.js';

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
