import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { MissedRunPolicy } from '../../domain/triggers/subscription.js';

/** The clock of a subscription. This row decides when it fires; Temporal only wakes. */
@Entity('schedules')
export class ScheduleEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  subscription_id!: string;

  /** As it was typed, trimmed. */
  @Column('text')
  cron!: string;

  /** IANA name. */
  @Column('text')
  timezone!: string;

  @Column('text', { default: 'skip' })
  missed_run_policy!: MissedRunPolicy;

  /** Null never fires again. */
  @Column('timestamptz', { nullable: true })
  next_fire_at!: Date | null;

  /** Nominal time of the last firing that made a run. */
  @Column('timestamptz', { nullable: true })
  last_fired_at!: Date | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  updated_at!: Date;
}
