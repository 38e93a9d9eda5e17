import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ResultDestination } from '../../domain/run/result-destination.js';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** The result of one run on its way to one destination (docs/design/deliveries.md). */
@Entity('result_deliveries')
export class DeliveryEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  session_id!: string;

  @Column('uuid')
  subscription_id!: string;

  @Column('int')
  destination_index!: number;

  @Column('jsonb')
  destination!: ResultDestination;

  @Column('text', { default: 'pending' })
  status!: DeliveryStatus;

  /** Those on the record, since it was last sent on its way. */
  @Column('int', { default: 0 })
  attempts!: number;

  /** How often a person had it sent again. */
  @Column('int', { default: 0 })
  resends!: number;

  /** Null when nothing is to come. */
  @Column('timestamptz', { nullable: true })
  next_attempt_at!: Date | null;

  @Column('text', { nullable: true })
  last_error!: string | null;

  /** Of the last body that was made. */
  @Column('text', { nullable: true })
  payload_digest!: string | null;

  @Column('timestamptz', { nullable: true })
  delivered_at!: Date | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  updated_at!: Date;
}
