import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../../../../src/domain/json.js';
import { BIGINT } from '../record/bigint-column.js';

export const VERSION_STATUSES = [
  'queued',
  'processing',
  'indexing',
  'ready',
  'partial',
  'stored',
  'failed',
  'quarantined',
] as const;
export type VersionStatus = (typeof VERSION_STATUSES)[number];

export const VERSION_STAGES = ['validate', 'parse', 'ocr', 'tables', 'index'] as const;
export type VersionStage = (typeof VERSION_STAGES)[number];

/** The bytes that were uploaded under a name at one time, and how far they have been read. */
@Entity('document_versions')
export class DocumentVersionEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('uuid')
  project_id!: string;

  @Column('uuid')
  document_id!: string;

  @Column('int')
  version!: number;

  @Column('text')
  blob_key!: string;

  @Column('text', { nullable: true })
  content_type!: string | null;

  @Column('bigint', { transformer: BIGINT })
  size_bytes!: number;

  /** What the client said; the bytes must have it. */
  @Column('bytea', { nullable: true })
  declared_sha256!: Buffer | null;

  /** What the bytes have. */
  @Column('bytea', { nullable: true })
  sha256!: Buffer | null;

  @Column('text', { default: 'queued' })
  status!: VersionStatus;

  @Column('text', { nullable: true })
  stage!: VersionStage | null;

  /** Counts how often it is read from the beginning. */
  @Column('int', { default: 1 })
  attempt!: number;

  @Column('jsonb', { default: {} })
  parse_options!: JsonObject;

  @Column('uuid', { nullable: true })
  parse_id!: string | null;

  @Column('int', { default: 0 })
  pages_done!: number;

  @Column('int', { nullable: true })
  pages_total!: number | null;

  /** Time that batches lost at limits of the jail. */
  @Column('int', { default: 0 })
  lost_ms!: number;

  @Column('jsonb', { default: [] })
  warnings!: unknown[];

  @Column('jsonb', { nullable: true })
  error!: { code: string; message: string } | null;

  @Column('timestamptz')
  created_at!: Date;

  @Column('timestamptz', { nullable: true })
  ready_at!: Date | null;
}
