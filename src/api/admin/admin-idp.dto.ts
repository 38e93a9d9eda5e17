import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsBoolean, IsIn, IsObject, IsOptional, IsString, ValidateBy, ValidateIf } from 'class-validator';
import { ROLES, type Role } from '../../domain/identity/role.js';
import { DEFAULT_ALGORITHMS, SIGNING_ALGORITHMS } from '../../domain/identity/signing-keys.js';
import type { JsonObject } from '../../domain/json.js';
import { TOKEN_ENDPOINT_AUTHS, type TokenEndpointAuth } from '../../core/identity/idp-config.entity.js';
import type { IdpChanges, NewIdp } from '../../core/identity/management/idp-configs.js';
import type { EndedLogins, IdpMigration } from '../../core/identity/management/idp-moves.js';
import type { ArmedOwner } from '../../core/identity/management/arm-owner.js';
import { MayBeLeftOut } from '../http/left-out.js';
import { Idp, toIdp } from '../org/idp.dto.js';

const DEFAULT_SCOPES = ['openid', 'email', 'profile'] as const;
const TEXT = { message: 'must be a string' } as const;
const TEXTS = { message: 'must be an array of strings' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;
const MAPPINGS_ABOUT = 'Which claims say who somebody is, and which groups make which roles.';
const AUTH = { enum: TOKEN_ENDPOINT_AUTHS, description: 'Of these the provider must offer it.' } as const;
const ARM = { type: 'string', nullable: true, description: 'Arms this address, as `break-glass-owner` does.' } as const;

const IsTexts = (): PropertyDecorator => applyDecorators(IsArray(TEXTS), IsString({ each: true, ...TEXTS }));
const IsAuth = (): PropertyDecorator =>
  IsIn(TOKEN_ENDPOINT_AUTHS, { message: `must be one of ${TOKEN_ENDPOINT_AUTHS.join(', ')}` });

const CLAIM = { type: 'string', minLength: 1, maxLength: 200 } as const;

/** Claim mappings as they are described; what they mean is checked with the provider. */
class ClaimMappings {
  @ApiPropertyOptional({ ...CLAIM, description: '`email` when left out.' })
  email?: string;

  @ApiPropertyOptional({ ...CLAIM, description: '`email_verified` when left out.' })
  email_verified?: string;

  @ApiPropertyOptional({ ...CLAIM, description: '`name` when left out.' })
  name?: string;

  @ApiPropertyOptional({ ...CLAIM, description: 'A claim, or a path of members with dots; `groups` when left out.' })
  roles_path?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', enum: [...ROLES] },
    description: 'From a group to a role; to `owner` only with `allow_owner_mapping`.',
  })
  role_map?: Record<string, Role>;

  @ApiPropertyOptional({
    enum: ROLES.filter((role) => role !== 'owner'),
    description: 'Of those for whom nothing maps; `member` when left out.',
  })
  default_role?: Role;

  @ApiPropertyOptional({ description: 'False when left out.' })
  allow_owner_mapping?: boolean;

  @ApiPropertyOptional({ description: 'True when left out: a login without a verified address is refused.' })
  require_email_verified?: boolean;
}

export class CreateIdp {
  @ApiProperty({ format: 'uri', description: 'For good, character for character as tokens have it.' })
  @IsString(TEXT)
  issuer!: string;

  @ApiProperty({ description: 'For good.' })
  @IsString(TEXT)
  client_id!: string;

  @ApiProperty(AUTH)
  @IsAuth()
  token_endpoint_auth!: TokenEndpointAuth;

  @ApiPropertyOptional({ type: 'string', nullable: true, description: 'For every method but `none`.' })
  @IsOptional()
  @IsString(TEXT)
  client_secret?: string | null;

  @ApiPropertyOptional({ type: [String], description: `${DEFAULT_SCOPES.join(', ')} when left out.` })
  @MayBeLeftOut()
  @IsTexts()
  scopes?: string[];

  @ApiPropertyOptional({
    enum: SIGNING_ALGORITHMS,
    isArray: true,
    description: `${DEFAULT_ALGORITHMS.join(', ')} when left out.`,
  })
  @MayBeLeftOut()
  @IsTexts()
  alg_allowlist?: string[];

  @ApiPropertyOptional({ type: ClaimMappings, description: MAPPINGS_ABOUT })
  @MayBeLeftOut()
  @IsObject({ message: 'must be an object' })
  claim_mappings?: JsonObject;

  @ApiPropertyOptional(ARM)
  @IsOptional()
  @IsString(TEXT)
  bootstrap_owner_email?: string | null;
}

export class MigrateIdp extends CreateIdp {
  @ApiPropertyOptional({
    type: 'boolean',
    description:
      'False when left out. Whether the members whom the old provider vouched for stay members, with their tokens.',
  })
  @MayBeLeftOut()
  @IsBoolean({ message: 'must be true or false' })
  carry_forward?: boolean;
}

const IsNeverChanged = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ description: 'Never changes: another provider is a migration. Refused.' }),
    MayBeLeftOut(),
    ValidateBy({
      name: 'isNeverChanged',
      validator: {
        validate: () => false,
        defaultMessage: () => 'never changes; another provider is a migration: POST …/idp/{id}/migrate',
      },
    }),
  );

export class ChangeIdp {
  @ApiPropertyOptional(AUTH)
  @MayBeLeftOut()
  @IsAuth()
  token_endpoint_auth?: TokenEndpointAuth;

  @ApiPropertyOptional({ type: [String] })
  @MayBeLeftOut()
  @IsTexts()
  scopes?: string[];

  @ApiPropertyOptional({ type: ClaimMappings, description: MAPPINGS_ABOUT })
  @MayBeLeftOut()
  @IsObject({ message: 'must be an object' })
  claim_mappings?: JsonObject;

  @ApiPropertyOptional({ enum: SIGNING_ALGORITHMS, isArray: true })
  @MayBeLeftOut()
  @IsTexts()
  alg_allowlist?: string[];

  @ApiPropertyOptional({ ...ARM, description: `${ARM.description} Null disarms.` })
  @ValidateIf((_body, value) => value != null)
  @IsString(TEXT)
  bootstrap_owner_email?: string | null;

  @ApiPropertyOptional({ type: 'string', nullable: true, description: 'Left out keeps it, null removes it.' })
  @ValidateIf((_body, value) => value != null)
  @IsString(TEXT)
  client_secret?: string | null;

  @IsNeverChanged()
  issuer?: string;

  @IsNeverChanged()
  client_id?: string;

  @IsNeverChanged()
  generation?: number;
}

export class IdpEnvelope {
  @ApiProperty({ type: Idp })
  idp!: Idp;
}

class Ended {
  @ApiProperty(COUNT)
  flows_cancelled!: number;

  @ApiProperty(COUNT)
  switches_cancelled!: number;

  @ApiProperty(COUNT)
  sessions_revoked!: number;
}

export class DisabledIdp extends Ended {
  @ApiProperty({ enum: ['disabled'] })
  status!: 'disabled';
}

export class MigratedIdp extends Ended {
  @ApiProperty({ type: Idp })
  old_config!: Idp;

  @ApiProperty({ type: Idp })
  new_config!: Idp;

  @ApiProperty()
  carry_forward!: boolean;

  @ApiProperty(COUNT)
  memberships_deactivated!: number;
}

export class BreakGlass {
  @ApiProperty({ description: 'Who signs in with this verified address next, within seven days, becomes owner.' })
  @IsString(TEXT)
  email!: string;
}

export class ArmedBreakGlass {
  @ApiProperty({ enum: [true] })
  armed!: true;

  @ApiProperty({ format: 'uuid', description: 'Its entry in the audit log, which the login that consumes it repeats.' })
  arm_id!: string;

  @ApiProperty({ type: Idp })
  config!: Idp;

  @ApiProperty({ format: 'date-time' })
  expires_at!: string;
}

export function toNewIdp(body: CreateIdp): NewIdp {
  return {
    issuer: body.issuer,
    clientId: body.client_id,
    tokenEndpointAuth: body.token_endpoint_auth,
    clientSecret: body.client_secret ?? null,
    scopes: body.scopes ?? DEFAULT_SCOPES,
    algAllowlist: body.alg_allowlist ?? DEFAULT_ALGORITHMS,
    claimMappings: body.claim_mappings ?? {},
    bootstrapOwnerEmail: body.bootstrap_owner_email ?? null,
  };
}

/** Members that were sent; null is a value. */
export function toIdpChanges(body: ChangeIdp): IdpChanges {
  const changes: IdpChanges = {};
  if (body.token_endpoint_auth !== undefined) changes.tokenEndpointAuth = body.token_endpoint_auth;
  if (body.scopes !== undefined) changes.scopes = body.scopes;
  if (body.claim_mappings !== undefined) changes.claimMappings = body.claim_mappings;
  if (body.alg_allowlist !== undefined) changes.algAllowlist = body.alg_allowlist;
  if (body.bootstrap_owner_email !== undefined) changes.bootstrapOwnerEmail = body.bootstrap_owner_email;
  if (body.client_secret !== undefined) changes.clientSecret = body.client_secret;
  return changes;
}

export function toEnded({ flows, switches, sessions }: EndedLogins): Ended {
  return { flows_cancelled: flows, switches_cancelled: switches, sessions_revoked: sessions };
}

export function toMigrated(migration: IdpMigration, carryForward: boolean): MigratedIdp {
  return {
    old_config: toIdp(migration.oldConfig),
    new_config: toIdp(migration.newConfig),
    carry_forward: carryForward,
    ...toEnded(migration),
    memberships_deactivated: migration.membershipsDeactivated,
  };
}

export function toArmed({ armId, config, expiresAt }: ArmedOwner): ArmedBreakGlass {
  return { armed: true, arm_id: armId, config: toIdp(config), expires_at: expiresAt.toISOString() };
}
