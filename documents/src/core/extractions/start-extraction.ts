import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../../src/domain/json.js';
import { newRowId } from '../../../../src/platform/postgres/row-id.js';
import { DocsvcError } from '../../domain/errors.js';
import type { Caller } from '../access/caller.js';
import { sendOnceCommitted } from '../driver/wake.js';
import type { RecordTransaction } from '../record/record.js';
import { ExtractionEntity, type ExtractionMode } from './extraction.entity.js';
import { wakeExtraction, workflowNameOf } from './wake-extraction.js';

/** How often one client may start runs, and how many of one organization may be under way. */
export interface StartLimits {
  perMinute: number;
  running: number;
}

export interface NewExtraction {
  projectId: string;
  schemaId: string;
  schemaVersionId: string;
  /** Null: the id of the run. */
  externalId: string | null;
  requestDigest: Buffer;
  mode: ExtractionMode;
  versionIds: string[];
  pages: { first: number | null; last: number | null };
  minConfidence: number | null;
  metadata: JsonObject;
}

/** The run that a project has under an external id; null where there is none. */
export function findByExternalId(
  tx: RecordTransaction,
  projectId: string,
  externalId: string,
): Promise<ExtractionEntity | null> {
  return tx.manager.findOneBy(ExtractionEntity, { project_id: projectId, external_id: externalId });
}

/** The schema of a version, in one trip. @throws DocsvcError `not_found` for one that is none of the project */
export async function schemaOfVersion(
  tx: RecordTransaction,
  projectId: string,
  schemaVersionId: string,
): Promise<string> {
  const [row] = await tx.query<{ id: string | null }>('select docsvc_find_schema_of_version($1, $2) as id', [
    projectId,
    schemaVersionId,
  ]);
  if (row?.id != null) return row.id;
  throw new DocsvcError('not_found', 'no such version of a schema');
}

/**
 * Begins a run, and wakes its workflow once that is committed. Of any number that are begun at the same time with one external id one is.
 *
 * @returns null when the project has a run with this external id
 * @throws DocsvcError `rate_limited`, `quota_exceeded`
 */
export async function startExtraction(
  tx: RecordTransaction,
  caller: Caller,
  run: NewExtraction,
  limits: StartLimits,
): Promise<ExtractionEntity | null> {
  const id = newRowId();
  const externalId = run.externalId ?? id;
  const workflowName = workflowNameOf({ projectId: run.projectId, externalId });
  const [answer] = await tx.query<StartAnswer & BegunAnswer>(
    'select * from docsvc_start_extraction($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)',
    [
      ...[id, run.projectId, run.schemaId, run.schemaVersionId, externalId, run.requestDigest, run.mode, 'local'],
      ...[run.versionIds, run.pages.first, run.pages.last, run.minConfidence, run.metadata],
      ...[caller.clientId, limits.perMinute, limits.running, workflowName],
    ],
  );
  if (answer?.refused === 'known') return null;
  refuse(answer, limits);
  if (answer === undefined) throw new Error('docsvc_start_extraction answered nothing');
  const { orgId } = caller;
  sendOnceCommitted(tx, { id: answer.wake_up, orgId, kind: 'extract', subjectId: id, workflowName });
  return rowOf(id, caller, { ...run, externalId }, answer.created_at);
}

/** As it was just inserted. */
function rowOf(
  id: string,
  { orgId }: Caller,
  run: NewExtraction & { externalId: string },
  createdAt: Date,
): ExtractionEntity {
  return {
    ...{ id, org_id: orgId, project_id: run.projectId, schema_id: run.schemaId },
    ...{ schema_version_id: run.schemaVersionId, external_id: run.externalId, request_digest: run.requestDigest },
    ...{ mode: run.mode, engine: 'local', document_version_ids: run.versionIds, min_confidence: run.minConfidence },
    ...{ metadata: run.metadata, status: 'queued', attempt: 1, items_done: 0 },
    items_total: run.mode === 'combined' ? 1 : run.versionIds.length,
    ...{ pages: 0, milliseconds: 0, warnings: [], error: null },
    ...{ created_at: createdAt, started_at: null, finished_at: null },
  };
}

/**
 * Has a run that ended without being complete done again, as a further attempt.
 *
 * @param onlyFailed takes over what came to a result in the attempt before
 * @throws DocsvcError `not_retryable` for one that is under way or complete, `rate_limited`, `quota_exceeded`
 */
export async function retryExtraction(
  tx: RecordTransaction,
  caller: Caller,
  run: ExtractionEntity,
  onlyFailed: boolean,
  limits: StartLimits,
): Promise<ExtractionEntity> {
  const [answer] = await tx.query<StartAnswer>('select * from docsvc_retry_extraction($1, $2, $3, $4, $5)', [
    ...[run.id, onlyFailed, caller.clientId, limits.perMinute, limits.running],
  ]);
  if (answer?.refused === 'status') {
    throw new DocsvcError('not_retryable', 'only a run that failed, was cancelled or is partial is done again');
  }
  refuse(answer, limits);
  await wakeExtraction(tx, { id: run.id, projectId: run.project_id, externalId: run.external_id });
  return tx.manager.findOneByOrFail(ExtractionEntity, { id: run.id });
}

interface StartAnswer {
  refused: 'known' | 'status' | 'running' | 'rate' | null;
  retry_seconds: number | null;
}

interface BegunAnswer {
  created_at: Date;
  wake_up: string;
}

function refuse(answer: StartAnswer | undefined, limits: StartLimits): void {
  if (answer?.refused === 'running') {
    const message = `the organization has ${limits.running} runs under way, which is all it may; wait until one has ended`;
    throw new DocsvcError('quota_exceeded', message, { retryAfterSeconds: 5 });
  }
  if (answer?.refused !== 'rate') return;
  const retryAfterSeconds = answer.retry_seconds ?? 1;
  const message = `this credential may start ${limits.perMinute} extractions a minute; wait ${retryAfterSeconds} s`;
  throw new DocsvcError('rate_limited', message, { retryAfterSeconds });
}

/** Of what a request asks for, whatever the order of its members. */
export function digestRequest(asked: JsonObject): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(ordered(asked)))
    .digest();
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, ordered(member)]);
}
