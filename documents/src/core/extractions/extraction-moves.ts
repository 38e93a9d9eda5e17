import type { RunError } from '../../domain/extraction/run/run-errors.js';
import { appendEvent } from '../events/append-event.js';
import type { RecordTransaction } from '../record/record.js';
import type { EndedStatus, ExtractionStatus } from './extraction.entity.js';

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

/** A run by what its events call it. */
interface NamedRow {
  project_id: string;
  external_id: string;
  schema_id: string;
  schema_version_id: string;
}

interface BegunRow extends NamedRow {
  attempt: number;
  status: BegunRun['status'];
  entered: boolean;
  wait_ms: number;
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

interface EndedRow extends NamedRow {
  status: EndedStatus;
  error: RunError | null;
}

/**
 * Ends an attempt by what its items came to, and tells of it, both or neither, and once.
 *
 * @param unfinished what items that are not done failed by
 * @param resultOf JSON of what it came to, where somebody wants it with the event
 * @returns how it ended; null when it was ended before
 */
export async function finishExtraction(
  tx: RecordTransaction,
  { extractionId, attempt }: RunAttempt,
  unfinished: RunError,
  resultOf: (status: EndedStatus) => string | null,
): Promise<EndedStatus | null> {
  const [row] = await tx.query<EndedRow>('select * from docsvc_finish_extraction($1, $2, $3)', [
    extractionId,
    attempt,
    unfinished,
  ]);
  if (row === undefined) return null;
  const { status, error } = row;
  const told = { ...toldOf(row), id: extractionId, attempt, status, error };
  await announce(tx, told, resultOf(status));
  return status;
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

function toldOf(row: NamedRow): Pick<ToldRun, 'projectId' | 'externalId' | 'schemaId' | 'schemaVersionId'> {
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
