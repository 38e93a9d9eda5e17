import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What came of one attempt. */
@Entity('delivery_attempts')
export class DeliveryAttemptEntity {
  @Column('uuid')
  org_id!: string;

  @PrimaryColumn('uuid')
  delivery_id!: string;

  @PrimaryColumn('int')
  number!: number;

  @Column('timestamptz')
  at!: Date;

  @Column('int', { nullable: true })
  status_code!: number | null;

  @Column('int')
  duration_ms!: number;

  @Column('text', { nullable: true })
  error!: string | null;

  @Column('text', { nullable: true })
  response_snippet!: string | null;
}
