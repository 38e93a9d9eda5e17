import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../../../../src/domain/json.js';

export const DOCUMENT_KINDS = ['pdf', 'image', 'spreadsheet', 'text', 'other'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** A document; its name is unique in its project until it is deleted (DI-009). */
@Entity('documents')
export class DocumentEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('uuid')
  project_id!: string;

  @Column('text')
  name!: string;

  @Column('text', { default: 'other' })
  kind!: DocumentKind;

  @Column('jsonb', { default: {} })
  metadata!: JsonObject;

  @Column('text', { array: true, default: [] })
  labels!: string[];

  @Column('uuid', { nullable: true })
  latest_version_id!: string | null;

  @Column('uuid', { nullable: true })
  searchable_version_id!: string | null;

  /** Counts changes; the ETag. */
  @Column('int', { default: 1 })
  row_version!: number;

  @Column('timestamptz')
  created_at!: Date;

  @Column('timestamptz')
  updated_at!: Date;

  @Column('timestamptz', { nullable: true })
  deleted_at!: Date | null;
}
