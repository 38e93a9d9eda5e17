import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An app at the code host that several installations share (docs/design/connections.md). */
@Entity('github_app_registrations')
export class AppRegistrationEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('text')
  status!: 'pending' | 'active' | 'revoked';

  @Column('text', { nullable: true })
  app_id!: string | null;

  @Column('bytea', { nullable: true, select: false })
  pem_sealed!: Buffer | null;

  @Column('smallint', { select: false })
  pem_key_version!: number;
}
