import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A browser session. Only the digest of its token is kept; revoking the row ends it at once. */
@Entity('user_sessions')
export class WebSessionEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  membership_id!: string;

  @Column('uuid')
  user_id!: string;

  @Column('text', { select: false })
  session_token_sha256!: string;

  @Column('uuid')
  idp_config_id!: string;

  @Column('text', { nullable: true })
  acr!: string | null;

  @Column('text', { array: true, nullable: true })
  amr!: string[] | null;

  @Column('timestamptz', { nullable: true })
  auth_time!: Date | null;

  @Column('text', { nullable: true })
  idp_sid!: string | null;

  @Column('bytea', { nullable: true, select: false })
  id_token_sealed!: Buffer | null;

  @Column('smallint', { default: 1, select: false })
  id_token_key_version!: number;

  @Column('text', { nullable: true })
  source_ip!: string | null;

  @Column('text', { nullable: true })
  user_agent!: string | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  last_seen_at!: Date;

  @Column('timestamptz')
  idle_expires_at!: Date;

  @Column('timestamptz')
  absolute_expires_at!: Date;

  @Column('timestamptz', { nullable: true })
  revoked_at!: Date | null;
}
