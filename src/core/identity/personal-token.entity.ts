import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A token that stands for a person. Only its digest is kept. Tokens of runs and triggers rest in the same table, where columns may be
 * null that a check gives every row of this kind.
 */
@Entity('api_tokens')
export class PersonalTokenEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('text', { select: false })
  kind!: 'pat';

  @Column('uuid', { nullable: true })
  membership_id!: string;

  @Column('uuid', { nullable: true })
  user_id!: string;

  @Column('text', { nullable: true })
  name!: string;

  /** The beginning of the token, by which its owner knows it again. */
  @Column('text', { nullable: true })
  display_prefix!: string;

  @Column('timestamptz')
  created_at!: Date;

  @Column('timestamptz', { nullable: true })
  expires_at!: Date;

  @Column('timestamptz', { nullable: true })
  last_used_at!: Date | null;

  @Column('timestamptz', { nullable: true })
  revoked_at!: Date | null;
}
