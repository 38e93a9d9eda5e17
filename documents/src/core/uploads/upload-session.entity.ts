import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../../../../src/domain/json.js';
import { BIGINT } from '../record/bigint-column.js';

export const UPLOAD_STATUSES = ['open', 'completing', 'completed', 'failed', 'aborted', 'expired'] as const;
export type UploadStatus = (typeof UPLOAD_STATUSES)[number];

/** A file that is being sent in parts. */
@Entity('upload_sessions')
export class UploadSessionEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('uuid')
  project_id!: string;

  /** The client that opened it. */
  @Column('uuid')
  client_row_id!: string;

  @Column('text')
  name!: string;

  @Column('bigint', { transformer: BIGINT })
  size_bytes!: number;

  @Column('bigint', { transformer: BIGINT })
  part_size_bytes!: number;

  @Column('int')
  part_count!: number;

  @Column('text', { nullable: true })
  content_type!: string | null;

  @Column('jsonb', { default: {} })
  metadata!: JsonObject;

  @Column('text', { array: true, default: [] })
  labels!: string[];

  @Column('text')
  status!: UploadStatus;

  @Column('jsonb', { nullable: true })
  error!: { code: string; message: string } | null;

  @Column('uuid', { nullable: true })
  document_id!: string | null;

  @Column('uuid', { nullable: true })
  version_id!: string | null;

  @Column('timestamptz')
  created_at!: Date;

  @Column('timestamptz')
  expires_at!: Date;
}
