import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What came of a webhook for one subscription; final. */
@Entity('trigger_dispatches')
export class DispatchEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  delivery_id!: string;

  @Column('uuid')
  subscription_id!: string;

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
