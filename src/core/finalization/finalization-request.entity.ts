import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RunOutcome } from '../../domain/run/status.js';

/** Why a run ends: one row, the first writer wins, deleted when cleanup is complete (docs/design/runs.md). */
@Entity('session_finalizations')
export class FinalizationRequestEntity {
  @PrimaryColumn('uuid')
  session_id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('text')
  outcome!: RunOutcome;

  /** The outcome as it was reported. */
  @Column('text')
  posted_outcome!: string;

  @Column('text', { nullable: true })
  summary!: string | null;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('boolean')
  needs_quiesce!: boolean;

  @Column('timestamptz', { nullable: true })
  quiesce_deadline!: Date | null;

  @Column('timestamptz', { nullable: true })
  claimed_at!: Date | null;

  @Column('int', { default: 0 })
  attempts!: number;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;
}
