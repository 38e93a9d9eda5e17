import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An app at the code host that several installations share (docs/design/code-host-apps.md). */
@Entity('github_app_registrations')
export class AppRegistrationEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('text', { default: 'pending' })
  status!: 'pending' | 'active' | 'revoked';

  @Column('text')
  target_kind!: 'personal' | 'organization';

  @Column('text', { nullable: true })
  target_org!: string | null;

  @Column('text', { nullable: true })
  app_id!: string | null;

  @Column('text', { nullable: true })
  slug!: string | null;

  @Column('text', { nullable: true })
  name!: string | null;

  @Column('text', { nullable: true })
  client_id!: string | null;

  @Column('text', { nullable: true })
  html_url!: string | null;

  @Column('text', { nullable: true })
  owner_login!: string | null;

  @Column('bytea', { nullable: true, select: false })
  pem_sealed!: Buffer | null;

  @Column('smallint', { default: 1, select: false })
  pem_key_version!: number;

  @Column('bytea', { nullable: true, select: false })
  webhook_secret_sealed!: Buffer | null;

  @Column('smallint', { default: 1, select: false })
  webhook_secret_key_version!: number;

  @Column('bytea', { nullable: true, select: false })
  client_secret_sealed!: Buffer | null;

  @Column('smallint', { default: 1, select: false })
  client_secret_key_version!: number;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updated_at!: Date;
}
