import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A login that would replace the browser's session of somebody else, until the person confirms it. */
@Entity('pending_login_switches')
export class LoginSwitchEntity {
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

  @Column('timestamptz', { nullable: true })
  consumed_at!: Date | null;

  @Column('timestamptz')
  expires_at!: Date;
}
