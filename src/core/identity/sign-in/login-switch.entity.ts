import { Column, Entity, PrimaryColumn } from 'typeorm';
import { LoginProof } from '../login-proof.js';

/** A login that would replace the browser's session of somebody else, until the person confirms it. */
@Entity('pending_login_switches')
export class LoginSwitchEntity extends LoginProof {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  idp_config_id!: string;

  @Column('uuid')
  new_membership_id!: string;

  @Column('uuid')
  new_user_id!: string;

  @Column('uuid')
  replaced_tenant_id!: string;

  @Column('uuid')
  replaced_session_id!: string;

  @Column('text')
  redirect_to!: string;

  @Column('text', { select: false })
  browser_hash!: string;

  @Column('timestamptz', { nullable: true })
  consumed_at!: Date | null;

  @Column('timestamptz')
  expires_at!: Date;
}
