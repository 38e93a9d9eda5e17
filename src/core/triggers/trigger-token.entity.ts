import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A token of a subscription, by digest. Tokens of runs rest in the same table and are written by statements alone. */
@Entity('api_tokens')
export class TriggerTokenEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('text')
  kind!: 'trigger';

  @Column('uuid', { nullable: true })
  subscription_id!: string | null;

  @Column('text')
  token_sha256!: string;

  @Column('timestamptz', { nullable: true })
  revoked_at!: Date | null;
}
