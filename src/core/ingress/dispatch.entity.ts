import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EventName } from '../../domain/triggers/events/event-names.js';

/** What came of a webhook for one subscription; final. */
@Entity('trigger_dispatches')
export class DispatchEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  /** Null once the webhook is no longer kept. */
  @Column('uuid', { nullable: true })
  delivery_id!: string | null;

  @Column('uuid')
  subscription_id!: string;

  @Column('text')
  event_type!: EventName;

  /** `owner/name#number` of the pull request. */
  @Column('text')
  resource!: string;

  /** Of `created` alone. */
  @Column('uuid', { nullable: true })
  session_id!: string | null;

  @Column('text')
  status!: 'created' | 'skipped' | 'error';

  /** Of all others. */
  @Column('text', { nullable: true })
  skip_reason!: string | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  created_at!: Date;
}
