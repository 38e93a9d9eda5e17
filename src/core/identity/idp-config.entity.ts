import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../../domain/json.js';

export const IDP_STATUSES = ['staged', 'active', 'disabled', 'retired'] as const;
export type IdpStatus = (typeof IDP_STATUSES)[number];

export const TOKEN_ENDPOINT_AUTHS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export type TokenEndpointAuth = (typeof TOKEN_ENDPOINT_AUTHS)[number];

/** An identity provider of an organization; at most one is active (docs/design/identity.md). */
@Entity('org_idp_configs')
export class IdpConfigEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('int')
  generation!: number;

  @Column('text')
  issuer!: string;

  @Column('text')
  client_id!: string;

  @Column('bytea', { nullable: true, select: false })
  client_secret_sealed!: Buffer | null;

  @Column('smallint', { default: 1, select: false })
  client_secret_key_version!: number;

  @Column('text')
  token_endpoint_auth!: TokenEndpointAuth;

  @Column('text', { array: true })
  scopes!: string[];

  @Column('text', { array: true })
  alg_allowlist!: string[];

  @Column('jsonb')
  claim_mappings!: JsonObject;

  @Column('text', { nullable: true })
  bootstrap_owner_email!: string | null;

  @Column('timestamptz', { nullable: true })
  bootstrap_owner_expires_at!: Date | null;

  @Column('uuid', { nullable: true })
  bootstrap_arm_audit_id!: string | null;

  @Column('jsonb', { nullable: true })
  discovered_metadata!: JsonObject | null;

  @Column('jsonb', { nullable: true })
  jwks!: JsonObject | null;

  @Column('timestamptz', { nullable: true })
  discovered_at!: Date | null;

  @Column('text', { default: 'staged' })
  status!: IdpStatus;

  @Column('text')
  created_by!: string;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updated_at!: Date;
}
