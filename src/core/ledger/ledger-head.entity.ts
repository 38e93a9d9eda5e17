import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A signed head of a ledger; signed again with another key it stays as it is (docs/design/events.md). */
@Entity('ledger_heads')
export class LedgerHeadEntity {
  @Column('uuid')
  tenant_id!: string;

  @PrimaryColumn('uuid')
  session_id!: string;

  @PrimaryColumn('bigint')
  seq!: string;

  @Column('bytea')
  hash!: Buffer;

  @Column('bytea')
  signature!: Buffer;

  @Column('text')
  key_id!: string;

  @Column('timestamptz')
  signed_at!: Date;
}
