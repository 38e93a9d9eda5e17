import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsOptional, IsString, IsUUID } from 'class-validator';
import type { OauthClientEntity } from '../../core/clients/oauth-client.entity.js';
import { SCOPES, type Scope } from '../../domain/access/scopes.js';
import { IsInstant } from '../http/instant.js';

const MAX_IDS = 500;

export class NewClient {
  @ApiProperty({ minLength: 1, maxLength: 255 })
  @IsString()
  name!: string;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...SCOPES] }, minItems: 1, uniqueItems: true })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(SCOPES, { each: true })
  scopes!: Scope[];

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    nullable: true,
    maxItems: MAX_IDS,
    description: 'Left out or null: every workspace that this credential reaches.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_IDS)
  @IsUUID(undefined, { each: true })
  workspaceIds?: string[] | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    nullable: true,
    maxItems: MAX_IDS,
    description: 'Left out or null: every project of the workspaces.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_IDS)
  @IsUUID(undefined, { each: true })
  projectIds?: string[] | null;

  @ApiPropertyOptional({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'After it the client gets no token, and its tokens end.',
  })
  @IsOptional()
  @IsInstant()
  expiresAt?: string | null;
}

export class ClientView {
  @ApiProperty({ format: 'uuid', description: 'Names the client in addresses.' })
  id!: string;

  @ApiProperty({ description: 'Names the client at `POST /oauth/token`.' })
  clientId!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...SCOPES] } })
  scopes!: Scope[];

  @ApiProperty({ type: 'array', items: { type: 'string', format: 'uuid' }, nullable: true })
  workspaceIds!: string[] | null;

  @ApiProperty({ type: 'array', items: { type: 'string', format: 'uuid' }, nullable: true })
  projectIds!: string[] | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  expiresAt!: Date | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  revokedAt!: Date | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({ format: 'date-time' })
  updatedAt!: Date;
}

export class ClientWithSecret extends ClientView {
  @ApiProperty({ description: '`docsvc_cs_…`, shown this once.' })
  clientSecret!: string;
}

export function viewClient(row: OauthClientEntity): ClientView {
  return {
    id: row.id,
    clientId: row.client_id,
    name: row.name,
    scopes: row.scopes,
    workspaceIds: row.workspace_ids,
    projectIds: row.project_ids,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
