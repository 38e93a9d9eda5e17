import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RunError } from '../../domain/extraction/run/run-errors.js';
import type { RunWarning } from './extraction.entity.js';
import type { ResultParts } from '../../domain/extraction/run/result-parts.js';

export type ItemStatus = 'queued' | 'completed' | 'partial' | 'failed' | 'cancelled';

/** One document of an attempt, or all of them in a combined run; its result lies in a blob (result-text.ts). */
@Entity('extraction_items')
export class ExtractionItemEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('uuid')
  extraction_id!: string;

  @Column('int')
  attempt!: number;

  @Column('int')
  item_number!: number;

  /** These are null in a combined run. */
  @Column('uuid', { nullable: true })
  document_id!: string | null;

  /** As it was when the attempt began. */
  @Column('text', { nullable: true })
  document_name!: string | null;

  @Column('uuid', { nullable: true })
  document_version_id!: string | null;

  @Column('int', { nullable: true })
  version!: number | null;

  @Column('text')
  status!: ItemStatus;

  /** The item to which the blob belongs. */
  @Column('uuid', { nullable: true })
  result_of!: string | null;

  @Column('jsonb', { nullable: true })
  parts!: ResultParts | null;

  @Column('jsonb')
  warnings!: RunWarning[];

  @Column('jsonb', { nullable: true })
  error!: RunError | null;

  @Column('timestamptz', { nullable: true })
  purged_at!: Date | null;
}
