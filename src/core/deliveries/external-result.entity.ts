import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ExternalResultKind } from './publishing.js';

/** What a subscription keeps up to date at the code host, by place (docs/design/publishing.md). */
@Entity('external_results')
export class ExternalResultEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  subscription_id!: string;

  @Column('text')
  kind!: ExternalResultKind;

  /** `owner/name#42`, `owner/name@<sha>` */
  @Column('text')
  resource_key!: string;

  /** Id at the host. */
  @Column('text')
  external_id!: string;

  @Column('text', { nullable: true })
  external_url!: string | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  updated_at!: Date;
}
