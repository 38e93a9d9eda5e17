import { Column, Entity, PrimaryColumn } from 'typeorm';

export type UsageKind = 'storage_bytes' | 'documents' | 'pages';

/** What an organization holds, or has had done in a month. */
@Entity('usage_counters')
export class UsageCounterEntity {
  @PrimaryColumn('uuid')
  org_id!: string;

  @PrimaryColumn('text')
  kind!: UsageKind;

  /** The first day of a month, or 1970-01-01 for what is not counted by month. */
  @PrimaryColumn('date')
  period!: string;

  /** An integer of 64 bits, as text. */
  @Column('bigint', { default: 0 })
  amount!: string;
}
