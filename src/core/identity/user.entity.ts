import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A person of one organization; the same human in two is two users. Known by provider and subject, never by address. */
@Entity('users')
export class UserEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid', { nullable: true })
  idp_config_id!: string | null;

  @Column('text', { nullable: true })
  subject!: string | null;

  @Column('text', { nullable: true })
  email!: string | null;

  @Column('text', { nullable: true })
  email_normalized!: string | null;

  @Column('boolean', { default: false })
  email_verified!: boolean;

  @Column('text', { nullable: true })
  name!: string | null;

  @Column('text', { default: 'active' })
  status!: 'active' | 'deactivated';

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updated_at!: Date;

  @Column('timestamptz', { nullable: true })
  last_login_at!: Date | null;
}
