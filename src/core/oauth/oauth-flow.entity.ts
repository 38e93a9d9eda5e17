import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ClientIdSource, TokenAuthMethod } from './client-authentication.js';

/** One attempt to connect a user at an authorization server (docs/design/oauth.md). */
@Entity('connector_oauth_flows')
export class OAuthFlowEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  connection_id!: string;

  @Column('uuid', { nullable: true })
  initiated_by_user_id!: string | null;

  @Column('text', { select: false })
  state_hash!: string;

  @Column('text', { select: false })
  browser_hash!: string;

  @Column('text')
  issuer!: string;

  @Column('boolean')
  iss_required!: boolean;

  @Column('text')
  authorization_endpoint!: string;

  @Column('text')
  token_endpoint!: string;

  @Column('text')
  metadata_digest!: string;

  @Column('text')
  resource!: string;

  @Column('text')
  redirect_uri!: string;

  @Column('text', { array: true })
  scopes!: string[];

  @Column('text')
  challenge!: string;

  @Column('uuid', { nullable: true })
  client_registration_id!: string | null;

  @Column('text')
  client_id!: string;

  @Column('text')
  client_id_source!: ClientIdSource;

  @Column('text')
  token_endpoint_auth_method!: TokenAuthMethod;

  @Column('bytea')
  pkce_verifier_sealed!: Buffer;

  @Column('smallint')
  pkce_verifier_key_version!: number;

  @Column('int')
  expected_generation!: number;

  @Column('timestamptz')
  expires_at!: Date;

  @Column('timestamptz', { nullable: true })
  opened_at!: Date | null;

  @Column('timestamptz', { nullable: true })
  consumed_at!: Date | null;
}
