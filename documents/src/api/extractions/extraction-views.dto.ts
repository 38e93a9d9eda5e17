import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { JsonObject } from '../../../../src/domain/json.js';
import {
  EXTRACTION_MODES,
  EXTRACTION_STATUSES,
  type ExtractionEntity,
  type ExtractionMode,
  type ExtractionStatus,
  type RunWarning,
} from '../../core/extractions/extraction.entity.js';
import type { RunError } from '../../domain/extraction/run/run-errors.js';

class ProgressOfRun {
  @ApiProperty({
    type: 'string',
    enum: ['queue', 'wait', 'extract', 'cancel', 'end'],
    description: '`wait`: for versions that are still being read, at most an hour.',
  })
  stage!: string;

  @ApiProperty({ type: 'integer', minimum: 0 })
  itemsDone!: number;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Documents; one in a combined run.' })
  itemsTotal!: number;
}

class UsageOfRun {
  @ApiProperty({ type: 'integer', minimum: 0 })
  pages!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Of a model; the local engine uses none.' })
  inputTokens!: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  outputTokens!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Of all documents together, wherever they ran.' })
  milliseconds!: number;
}

export class RunWarningView implements RunWarning {
  @ApiProperty({ description: 'A closed word such as `rows_missing`.' })
  code!: string;

  @ApiProperty()
  message!: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1 })
  pageNumber?: number;

  @ApiPropertyOptional({ format: 'uuid' })
  documentVersionId?: string;
}

export class RunErrorView {
  @ApiProperty({ type: 'string' })
  code!: RunError['code'];

  @ApiProperty()
  message!: string;
}

export class ExtractionView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  projectId!: string;

  @ApiProperty({ format: 'uuid' })
  schemaId!: string;

  @ApiProperty({ format: 'uuid' })
  schemaVersionId!: string;

  @ApiProperty()
  externalId!: string;

  @ApiProperty({ type: 'string', enum: [...EXTRACTION_STATUSES] })
  status!: ExtractionStatus;

  @ApiProperty({ type: 'string', enum: [...EXTRACTION_MODES] })
  mode!: ExtractionMode;

  @ApiProperty({ type: 'string', enum: ['local'] })
  engine!: 'local';

  @ApiProperty({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    description: 'As they were chosen when the run began.',
  })
  documentVersionIds!: string[];

  @ApiProperty({ type: 'integer', minimum: 1 })
  attempt!: number;

  @ApiProperty({ type: ProgressOfRun })
  progress!: ProgressOfRun;

  @ApiProperty({ type: UsageOfRun, description: 'Of this attempt, once it has ended.' })
  usage!: UsageOfRun;

  @ApiProperty({ type: [RunWarningView], description: 'The first hundred.' })
  warnings!: RunWarning[];

  @ApiProperty({ type: RunErrorView, nullable: true, description: 'Of a run that failed.' })
  error!: RunError | null;

  @ApiProperty({ type: 'object', additionalProperties: true })
  metadata!: JsonObject;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  startedAt!: Date | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  finishedAt!: Date | null;
}

export class StartedExtraction extends ExtractionView {
  @ApiProperty({
    description: 'Whether the project had a run with this externalId: then this is it, and none was started.',
  })
  replayed!: boolean;

  @ApiProperty({ description: 'Whether this request asks for the same as the one that started the run.' })
  requestMatches!: boolean;
}

const STAGE_OF: { readonly [S in ExtractionStatus]: string } = {
  queued: 'queue',
  waiting: 'wait',
  running: 'extract',
  cancelling: 'cancel',
  completed: 'end',
  partial: 'end',
  failed: 'end',
  cancelled: 'end',
};

export function viewExtraction(row: ExtractionEntity): ExtractionView {
  return {
    id: row.id,
    projectId: row.project_id,
    schemaId: row.schema_id,
    schemaVersionId: row.schema_version_id,
    externalId: row.external_id,
    status: row.status,
    mode: row.mode,
    engine: row.engine,
    documentVersionIds: row.document_version_ids,
    attempt: row.attempt,
    progress: { stage: STAGE_OF[row.status], itemsDone: row.items_done, itemsTotal: row.items_total },
    usage: { pages: row.pages, inputTokens: 0, outputTokens: 0, milliseconds: row.milliseconds },
    warnings: row.warnings,
    error: row.error,
    metadata: row.metadata,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
