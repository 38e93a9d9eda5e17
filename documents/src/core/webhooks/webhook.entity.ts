import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RetryPolicy } from '../../domain/webhooks/retry-policy.js';

/** An address that is told of events of one project (DI-004, DI-021). */
@Entity('webhooks')
export class WebhookEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('uuid')
  project_id!: string;

  @Column('text')
  url!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { array: true })
  events!: string[];

  @Column('boolean', { default: true })
  enabled!: boolean;

  /** Why the service has disabled it; null for one that a client disabled. */
  @Column('text', { nullable: true })
  disabled_reason!: string | null;

  @Column('boolean', { default: false })
  include_result!: boolean;

  @Column('jsonb', { default: { strategy: 'standard' } })
  retry!: RetryPolicy;

  @Column('bytea', { select: false })
  sealed_secret!: Buffer;

  @Column('bytea', { nullable: true, select: false })
  sealed_previous_secret!: Buffer | null;

  /** How long the previous secret signs too. */
  @Column('timestamptz', { nullable: true })
  previous_secret_until!: Date | null;

  /** Since when no delivery has succeeded. */
  @Column('timestamptz', { nullable: true })
  failing_since!: Date | null;

  @Column('int', { default: 1 })
  row_version!: number;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updated_at!: Date;
}
