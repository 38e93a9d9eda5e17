import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One time that a subscription was asked to start a run, and what came of it. */
@Entity('trigger_invocations')
export class InvocationEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  subscription_id!: string;

  @Column('text')
  idempotency_key!: string;

  @Column('text', { nullable: true })
  request_digest!: string | null;

  @Column('uuid', { nullable: true })
  session_id!: string | null;

  @Column('text', { nullable: true })
  skip_reason!: string | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  created_at!: Date;
}
