import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../domain/access/scopes.js';

/** A machine that may ask for tokens (documents/docs/design/access.md). */
@Entity('oauth_clients')
export class OauthClientEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  /** The public name, which a token request carries. */
  @Column('text')
  client_id!: string;

  @Column('text')
  name!: string;

  /** At most two, the newer one last. */
  @Column('bytea', { array: true, select: false })
  secret_hashes!: Buffer[];

  @Column('text', { array: true })
  scopes!: Scope[];

  @Column('uuid', { array: true, nullable: true })
  workspace_ids!: string[] | null;

  @Column('uuid', { array: true, nullable: true })
  project_ids!: string[] | null;

  @Column('timestamptz', { nullable: true })
  expires_at!: Date | null;

  @Column('timestamptz', { nullable: true })
  revoked_at!: Date | null;

  @Column('int', { default: 1 })
  row_version!: number;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updated_at!: Date;
}
