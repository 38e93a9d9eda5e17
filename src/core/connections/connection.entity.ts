import { Column, Entity, PrimaryColumn } from 'typeorm';
import type {
  AuthKind,
  ConnectionMetadata,
  ConnectionOwnerType,
  ConnectionProvider,
  ConnectionRecord,
  ConnectionStatus,
  OAuthState,
} from '../../domain/connections/connection.js';
import type { JsonObject } from '../../domain/json.js';

/** A connection. The sealed columns are read by those alone who name them (docs/design/connections.md). */
@Entity('integration_connections')
export class ConnectionEntity implements ConnectionRecord {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('text')
  provider!: ConnectionProvider;

  @Column('text')
  external_account_id!: string;

  @Column('text')
  display_name!: string;

  @Column('text', { array: true, default: [] })
  granted_scopes!: string[];

  @Column('jsonb', { default: {} })
  resource_selection!: JsonObject;

  @Column('text')
  status!: ConnectionStatus;

  @Column('jsonb', { default: {} })
  metadata!: ConnectionMetadata;

  @Column('text')
  auth_kind!: AuthKind;

  @Column('jsonb', { nullable: true })
  oauth!: OAuthState | null;

  @Column('uuid', { nullable: true })
  registration_id!: string | null;

  @Column('text')
  owner_type!: ConnectionOwnerType;

  @Column('uuid', { nullable: true })
  owner_user_id!: string | null;

  @Column('uuid', { nullable: true })
  created_by_user_id!: string | null;

  @Column('int', { default: 1 })
  authorization_generation!: number;

  /** The generation under which the code host refused check runs; commit statuses serve it in their place. */
  @Column('int', { nullable: true })
  checks_refused_generation!: number | null;

  @Column('bytea', { nullable: true, select: false })
  credential_sealed!: Buffer | null;

  @Column('smallint', { default: 1, select: false })
  credential_key_version!: number;

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
