import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Budgets, WorkspaceSpec } from '../../domain/run/spec.js';

/** A run. Status and times are moved by statements alone; the entity reads them. */
@Entity('sessions')
export class SessionEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  agent_id!: string;

  @Column('uuid')
  agent_revision_id!: string;

  @Column('text', { default: 'created' })
  status!: string;

  @Column('text', { nullable: true })
  status_reason!: string | null;

  @Column('text')
  autonomy!: 'supervised' | 'autonomous';

  @Column('text')
  trust_tier!: 'trusted' | 'read_only';

  @Column('text')
  task!: string;

  @Column('jsonb')
  labels!: Record<string, string>;

  @Column('jsonb')
  repo_source!: WorkspaceSpec;

  @Column('jsonb')
  run_spec!: object;

  @Column('text')
  run_spec_digest!: string;

  @Column('jsonb', { nullable: true })
  trigger!: object | null;

  @Column('jsonb', { nullable: true })
  sandbox_handle!: object | null;

  @Column('jsonb')
  budgets!: Budgets;

  @Column('text', { nullable: true })
  traceparent!: string | null;

  @Column('text', { nullable: true })
  base_commit!: string | null;

  @Column('boolean', { default: false })
  capacity_held!: boolean;

  @Column('text', { nullable: true })
  result_summary!: string | null;

  @Column('timestamptz', { nullable: true })
  queued_at!: Date | null;

  @Column('timestamptz', { nullable: true })
  started_at!: Date | null;

  @Column('timestamptz', { nullable: true })
  finished_at!: Date | null;

  @Column('text')
  invoked_by_kind!: string;

  @Column('uuid', { nullable: true })
  invoked_by_user_id!: string | null;

  /** The subscription that started it. */
  @Column('uuid', { nullable: true })
  subscription_id!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updated_at!: Date;
}

/** The narrow row beside the run that every ledger append locks. */
@Entity('session_heads')
export class SessionHeadEntity {
  @PrimaryColumn('uuid')
  session_id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('bigint', { default: 0 })
  seq!: string;

  @Column('timestamptz', { nullable: true })
  last_heartbeat_at!: Date | null;

  @Column('int', { default: 0 })
  tool_calls!: number;

  @Column('boolean', { default: false })
  wall_clock_warned!: boolean;
}
