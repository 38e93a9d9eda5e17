import { ApiProperty } from '@nestjs/swagger';
import type { JsonObject } from '../../domain/json.js';
import {
  IDP_STATUSES,
  TOKEN_ENDPOINT_AUTHS,
  type IdpConfigEntity,
  type IdpStatus,
  type TokenEndpointAuth,
} from '../../core/identity/idp-config.entity.js';

const OBJECT = { type: 'object', additionalProperties: true } as const;
const TIME_OR_NULL = { type: 'string', format: 'date-time', nullable: true } as const;

/** An identity provider of an organization; never its secret. */
export class Idp {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  tenant_id!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1 })
  generation!: number;

  @ApiProperty()
  issuer!: string;

  @ApiProperty()
  client_id!: string;

  @ApiProperty({ enum: TOKEN_ENDPOINT_AUTHS })
  token_endpoint_auth!: TokenEndpointAuth;

  @ApiProperty({ type: [String] })
  scopes!: string[];

  @ApiProperty({ type: [String] })
  alg_allowlist!: string[];

  @ApiProperty(OBJECT)
  claim_mappings!: JsonObject;

  @ApiProperty({ type: 'string', nullable: true, description: 'Armed: its next verified login becomes owner, once.' })
  bootstrap_owner_email!: string | null;

  @ApiProperty(TIME_OR_NULL)
  bootstrap_owner_expires_at!: string | null;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true, description: 'Its entry in the audit log.' })
  bootstrap_arm_audit_id!: string | null;

  @ApiProperty({ ...OBJECT, nullable: true })
  discovered_metadata!: JsonObject | null;

  @ApiProperty({ ...OBJECT, nullable: true })
  jwks!: JsonObject | null;

  @ApiProperty(TIME_OR_NULL)
  discovered_at!: string | null;

  @ApiProperty({ enum: IDP_STATUSES })
  status!: IdpStatus;

  @ApiProperty()
  created_by!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
}

export class IdpList {
  @ApiProperty({ type: [Idp], description: 'By generation.' })
  idp_configs!: Idp[];
}

export function toIdp(row: IdpConfigEntity): Idp {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    generation: row.generation,
    issuer: row.issuer,
    client_id: row.client_id,
    token_endpoint_auth: row.token_endpoint_auth,
    scopes: row.scopes,
    alg_allowlist: row.alg_allowlist,
    claim_mappings: row.claim_mappings,
    bootstrap_owner_email: row.bootstrap_owner_email,
    bootstrap_owner_expires_at: row.bootstrap_owner_expires_at?.toISOString() ?? null,
    bootstrap_arm_audit_id: row.bootstrap_arm_audit_id,
    discovered_metadata: row.discovered_metadata,
    jwks: row.jwks,
    discovered_at: row.discovered_at?.toISOString() ?? null,
    status: row.status,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
