import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../../../src/domain/json.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { ExtractionAttemptEntity } from '../../core/extractions/extraction-attempt.entity.js';
import { requireExtraction } from '../../core/extractions/extraction-access.js';
import type { ExtractionItemEntity } from '../../core/extractions/extraction-item.entity.js';
import { type ExtractionEntity, type ExtractionStatus } from '../../core/extractions/extraction.entity.js';
import { listItems, ResultText } from '../../core/extractions/result-text.js';
import type { RecordTransaction } from '../../core/record/record.js';
import { SchemaVersionEntity } from '../../core/schemas/schema-version.entity.js';
import { ResultTable } from '../../domain/csv/result-rows.js';
import { DocsvcError } from '../../domain/errors.js';
import type { RunError } from '../../domain/extraction/run/run-errors.js';
import { compileSchema } from '../../domain/schemas/compile-schema.js';
import { DocumentStore } from '../foundation/store.module.js';
import type { Caller } from '../http/caller.decorator.js';
import { viewExtraction, type ExtractionView } from './extraction-views.dto.js';
import type { ResultQuery } from './extractions.dto.js';

/** Of the data of one result, which is parsed to become rows. */
const MAX_CSV_BYTES = 32 * 1024 * 1024;
const LINE_END = '\r\n';
const PIECE_CHARACTERS = 32 * 1024;

/** What is answered to whoever asks for a result. */
export type ResultAnswer =
  | { isThere: false; run: ExtractionView }
  | { isThere: true; contentType: string; body: Readable };

/** How an attempt stands. */
interface Attempt {
  number: number;
  status: ExtractionStatus;
  error: RunError | null;
}

interface Found {
  run: ExtractionEntity;
  attempt: Attempt;
  items: ExtractionItemEntity[];
  schema: JsonObject | null;
}

/** Results of runs (DI-043, DI-044). */
@Injectable()
export class ResultsService {
  constructor(private readonly documents: DocumentStore) {}

  /**
   * What a run came to, once it has ended.
   *
   * @throws DocsvcError `extraction_failed`, `extraction_cancelled`, `purged` where all of it went with its documents, `too_large` for rows of CSV
   */
  async read(caller: Caller, id: string, { include, format = 'json', attempt }: ResultQuery): Promise<ResultAnswer> {
    const asked = attempt === undefined ? null : Number(attempt);
    const found = await this.documents.inOrganization(caller, (tx) => find(tx, caller, id, asked, format === 'csv'));
    if ('isThere' in found) return found;
    const { run, attempt: of, items, schema } = found;
    const status = of.status === 'completed' ? 'completed' : 'partial';
    const head = { ...run, attempt: of.number, status } as const;
    const result = new ResultText(this.documents.store, head, items, include === 'signals');
    if (schema !== null)
      return { isThere: true, contentType: 'text/csv; charset=utf-8', body: csvOf(result, items, schema) };
    if (format === 'jsonl') return { isThere: true, contentType: 'application/x-ndjson', body: result.jsonl() };
    return { isThere: true, contentType: 'application/json', body: result.json() };
  }
}

async function find(
  tx: RecordTransaction,
  caller: Caller,
  id: string,
  asked: number | null,
  withSchema: boolean,
): Promise<Found | Extract<ResultAnswer, { isThere: false }>> {
  const run = await requireExtraction(tx, caller, id);
  const attempt = await attemptOf(tx, run, asked ?? run.attempt);
  if (attempt.status === 'failed') {
    const { code, message } = attempt.error ?? { code: 'internal', message: 'the run failed' };
    const details = [{ path: 'status', code, message }];
    throw new DocsvcError('extraction_failed', `the run failed: ${message}`, { details });
  }
  if (attempt.status === 'cancelled') throw new DocsvcError('extraction_cancelled', 'the run was cancelled');
  if (attempt.status !== 'completed' && attempt.status !== 'partial')
    return { isThere: false, run: viewExtraction(run) };
  const items = await listItems(tx, id, attempt.number);
  if (items.every(({ parts }) => parts === null)) {
    throw new DocsvcError('purged', 'what this run came to was purged with its documents');
  }
  await recordAudit(tx, caller, {
    ...{ action: 'result.read', subjectKind: 'extraction', subjectId: id, projectId: run.project_id },
    detail: { attempt: attempt.number },
  });
  const version = withSchema
    ? await tx.manager.findOneByOrFail(SchemaVersionEntity, { id: run.schema_version_id })
    : null;
  return { run, attempt, items, schema: version?.json_schema ?? null };
}

async function attemptOf(tx: RecordTransaction, run: ExtractionEntity, number: number): Promise<Attempt> {
  if (number === run.attempt) return { number, status: run.status, error: run.error };
  const row = await tx.manager.findOneBy(ExtractionAttemptEntity, { extraction_id: run.id, attempt: number });
  if (row === null) throw new DocsvcError('not_found', `the run has no attempt ${number}`);
  return { number, status: row.status, error: row.error };
}

function csvOf(result: ResultText, items: readonly ExtractionItemEntity[], schema: JsonObject): Readable {
  if (items.some(({ parts }) => parts !== null && parts.data.bytes > MAX_CSV_BYTES)) {
    throw new DocsvcError('too_large', 'a result is too large to become rows of CSV; ask for format=jsonl');
  }
  const table = new ResultTable(compileSchema(schema));
  return Readable.from(linesOf(result, table), { objectMode: false });
}

/** Lines in pieces that are worth sending. */
async function* linesOf(result: ResultText, table: ResultTable): AsyncGenerator<string> {
  let piece = table.header() + LINE_END;
  for await (const { documentName, data } of result.data()) {
    for (const line of table.lines({ documentName, data: JSON.parse(data) as JsonObject })) {
      piece += line + LINE_END;
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
  }
  if (piece !== '') yield piece;
}
