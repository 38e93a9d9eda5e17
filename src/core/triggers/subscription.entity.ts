import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { BudgetLayer } from '../../domain/budgets/effective-budgets.js';
import type { RequestedWorkspace } from '../../domain/run/spec.js';
import type { ConcurrencyPolicy, PublishMode, TriggerKind } from '../../domain/triggers/subscription.js';

/** What starts runs of an agent: a token's holder, a clock or events of a connection. The sealed secret is read by those alone who name it. */
@Entity('trigger_subscriptions')
export class SubscriptionEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  agent_id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  trigger_kind!: TriggerKind;

  @Column('boolean', { default: true })
  enabled!: boolean;

  @Column('uuid', { nullable: true })
  pinned_revision_id!: string | null;

  @Column('text', { nullable: true })
  task_template!: string | null;

  @Column('boolean')
  allow_task_override!: boolean;

  @Column('boolean')
  allow_workspace_override!: boolean;

  /** Null is supervised. */
  @Column('text', { nullable: true })
  autonomy!: 'autonomous' | null;

  /** Whether its runs may use a model without a known price under a cap in dollars. */
  @Column('boolean')
  allow_unpriced!: boolean;

  @Column('text')
  concurrency_policy!: ConcurrencyPolicy;

  @Column('jsonb', { nullable: true })
  budget_override!: BudgetLayer | null;

  /** Null is the default of the agent's revision. */
  @Column('jsonb', { nullable: true })
  workspace_override!: RequestedWorkspace | null;

  @Column('text', { nullable: true })
  callback_url!: string | null;

  @Column('bytea', { nullable: true, select: false })
  callback_secret_sealed!: Buffer | null;

  @Column('smallint', { select: false, default: 1 })
  callback_secret_key_version!: number;

  /** Grows with each change of the callback: results of runs from before are not sent any more. */
  @Column('int', { default: 1 })
  authority_generation!: number;

  @Column('uuid', { nullable: true })
  connection_id!: string | null;

  /** Empty is all that the connection sees. */
  @Column('text', { array: true, nullable: true })
  repositories!: string[] | null;

  @Column('text', { array: true, nullable: true })
  events!: string[] | null;

  @Column('text', { array: true, nullable: true })
  publish!: PublishMode[] | null;

  /** Keep-list of bundle names; null keeps all. */
  @Column('text', { array: true, nullable: true })
  capability_bundles!: string[] | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  updated_at!: Date;
}
