import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../../../../src/domain/json.js';
import type { RunError } from '../../domain/extraction/run/run-errors.js';

export const OPEN_STATUSES = ['queued', 'waiting', 'running', 'cancelling'] as const;
export const ENDED_STATUSES = ['completed', 'partial', 'failed', 'cancelled'] as const;
export const EXTRACTION_STATUSES = [...OPEN_STATUSES, ...ENDED_STATUSES] as const;
export type ExtractionStatus = (typeof EXTRACTION_STATUSES)[number];
export type EndedStatus = (typeof ENDED_STATUSES)[number];

export const EXTRACTION_MODES = ['per_document', 'combined'] as const;
export type ExtractionMode = (typeof EXTRACTION_MODES)[number];

/** Something to know of a run, mostly of one of its documents. */
export interface RunWarning {
  code: string;
  message: string;
  pageNumber?: number;
  documentVersionId?: string;
}

/** A run of extraction over versions that were chosen when it began (DI-034). */
@Entity('extractions')
export class ExtractionEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('uuid')
  project_id!: string;

  @Column('uuid')
  schema_id!: string;

  @Column('uuid')
  schema_version_id!: string;

  /** Unique in the project: the key by which a repeated request finds the run. */
  @Column('text')
  external_id!: string;

  /** Of what the first request asked for. */
  @Column('bytea')
  request_digest!: Buffer;

  @Column('text')
  mode!: ExtractionMode;

  @Column('text')
  engine!: 'local';

  @Column('uuid', { array: true })
  document_version_ids!: string[];

  @Column('float8', { nullable: true })
  min_confidence!: number | null;

  @Column('jsonb', { default: {} })
  metadata!: JsonObject;

  @Column('text', { default: 'queued' })
  status!: ExtractionStatus;

  @Column('int', { default: 1 })
  attempt!: number;

  @Column('int', { default: 0 })
  items_done!: number;

  @Column('int')
  items_total!: number;

  @Column('int', { default: 0 })
  pages!: number;

  @Column('int', { default: 0 })
  milliseconds!: number;

  @Column('jsonb', { default: [] })
  warnings!: RunWarning[];

  @Column('jsonb', { nullable: true })
  error!: RunError | null;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { nullable: true })
  started_at!: Date | null;

  @Column('timestamptz', { nullable: true })
  finished_at!: Date | null;
}
