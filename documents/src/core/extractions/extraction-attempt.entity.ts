import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RunError } from '../../domain/extraction/run/run-errors.js';
import type { EndedStatus, RunWarning } from './extraction.entity.js';

/** How an attempt of a run ended. Never changed. */
@Entity('extraction_attempts')
export class ExtractionAttemptEntity {
  @Column('uuid')
  org_id!: string;

  @PrimaryColumn('uuid')
  extraction_id!: string;

  @PrimaryColumn('int')
  attempt!: number;

  @Column('text')
  status!: EndedStatus;

  @Column('jsonb')
  warnings!: RunWarning[];

  @Column('jsonb', { nullable: true })
  error!: RunError | null;

  @Column('timestamptz')
  finished_at!: Date;
}
