import { Column, Entity, PrimaryColumn } from 'typeorm';

export type DeliveryStatus = 'pending' | 'retrying' | 'succeeded' | 'exhausted' | 'cancelled';

/** One event on its way to one webhook (DI-022). */
@Entity('deliveries')
export class DeliveryEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('uuid')
  project_id!: string;

  @Column('uuid')
  webhook_id!: string;

  @Column('uuid')
  event_id!: string;

  @Column('text')
  event_type!: string;

  @Column('text', { default: 'pending' })
  status!: DeliveryStatus;

  @Column('int', { default: 0 })
  attempts!: number;

  @Column('timestamptz', { nullable: true })
  next_attempt_at!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { nullable: true })
  finished_at!: Date | null;
}
