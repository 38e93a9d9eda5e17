import { Column, Entity, PrimaryColumn } from 'typeorm';
import { LoginProof } from './login-proof.js';

/** A browser session. Only the digest of its token is kept; revoking the row ends it at once. */
@Entity('user_sessions')
export class WebSessionEntity extends LoginProof {
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
