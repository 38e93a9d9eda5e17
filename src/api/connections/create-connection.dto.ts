import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, Matches } from 'class-validator';
import { PROVIDERS, type ConnectionProvider } from '../../domain/connections/connection.js';
import { MAX_SCOPES } from '../../domain/connections/oauth-client.js';
import {
  CREDENTIAL_SCHEMES,
  HEADER_NAME_PATTERN,
  HEADER_NAME_SHAPE,
  SCHEME_SHAPE,
  type CredentialScheme,
} from '../../domain/connections/static-credential.js';
import type { JsonValue } from '../../domain/json.js';
import { ValidatedByService } from '../http/validated.js';
import {
  IsDisplayName,
  IsNumericId,
  IsOptionalText,
  IsOwner,
  IsRequiredText,
  IsToken,
  OPTIONAL_TEXT,
  OWNER,
  SCOPES,
  Trimmed,
  type RequestedOwner,
} from './connection-members.js';

/** Older names, which some clients still send. */
const FORMER_PROVIDERS: ReadonlyMap<unknown, ConnectionProvider> = new Map([
  ['github', 'codehost'],
  ['github_app', 'codehost_app'],
]);

const AUTH_KINDS = ['static', 'oauth'] as const;
const NO_SCOPES = `must be an array of at most ${MAX_SCOPES} strings`;

/** Who may is decided before anything but `owner` is read; a member without `?` is required where it belongs. */
@ValidatedByService()
export class CreateConnection {
  @ApiProperty({
    type: 'string',
    enum: [...PROVIDERS, ...FORMER_PROVIDERS.keys()],
    description: '`github` and `github_app` are older names of `codehost` and `codehost_app`.',
  })
  @Transform(({ value }: { value: unknown }) => FORMER_PROVIDERS.get(value) ?? value)
  @IsIn(PROVIDERS, { message: `must be one of ${PROVIDERS.join(', ')}` })
  provider!: ConnectionProvider;

  @ApiPropertyOptional(OWNER)
  @IsOwner()
  owner?: RequestedOwner | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    writeOnly: true,
    description: 'The secret of `codehost` and of a static `mcp_http`. Sealed, never answered.',
  })
  @IsToken()
  token!: string;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: 200,
    description: 'Account, app or host if left out.',
  })
  @IsDisplayName()
  display_name?: string | null;

  @ApiPropertyOptional({ type: 'string', nullable: true, description: 'Of `mcp_http`: the endpoint, http(s).' })
  @Trimmed()
  @Matches(/./, { message: 'is required and must be a URL' })
  base_url!: string;

  @ApiPropertyOptional({ type: 'string', enum: ['static', 'oauth'], nullable: true, default: 'static' })
  @IsOptional()
  @IsIn(AUTH_KINDS, { message: 'must be static or oauth' })
  auth_kind?: (typeof AUTH_KINDS)[number] | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    pattern: HEADER_NAME_PATTERN,
    default: 'authorization',
    description: 'Header that carries a static credential, instead of `authorization`.',
  })
  @IsOptional()
  @Matches(new RegExp(HEADER_NAME_PATTERN), { message: HEADER_NAME_SHAPE })
  header_name?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    enum: CREDENTIAL_SCHEMES,
    nullable: true,
    default: 'Bearer',
    description: '`Basic` takes a token `user:password`; the empty scheme sends the bare token.',
  })
  @IsOptional()
  @IsIn(CREDENTIAL_SCHEMES, { message: SCHEME_SHAPE })
  scheme?: CredentialScheme | null;

  @ApiPropertyOptional({ ...SCOPES, nullable: true, description: 'OAuth scopes to ask for.' })
  @IsOptional()
  @IsArray({ message: NO_SCOPES })
  @ArrayMaxSize(MAX_SCOPES, { message: NO_SCOPES })
  scopes?: JsonValue[] | null;

  @ApiPropertyOptional({ ...OPTIONAL_TEXT, description: 'OAuth client that was registered by hand.' })
  @IsOptionalText()
  client_id?: string | null;

  @ApiPropertyOptional({ ...OPTIONAL_TEXT, writeOnly: true, description: 'Its secret. Sealed.' })
  @IsOptionalText()
  client_secret?: string | null;

  @ApiPropertyOptional({ type: 'string', nullable: true, pattern: '^[0-9]{1,20}$', description: 'Of `codehost_app`.' })
  @IsNumericId()
  app_id!: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, pattern: '^[0-9]{1,20}$', description: 'Of `codehost_app`.' })
  @IsNumericId()
  installation_id!: string;

  @ApiPropertyOptional({ ...OPTIONAL_TEXT, writeOnly: true, description: 'PEM of the app. Sealed.' })
  @IsRequiredText()
  private_key!: string;

  @ApiPropertyOptional({
    ...OPTIONAL_TEXT,
    writeOnly: true,
    description:
      'What the code host signs webhooks with. Required of `codehost_app`; of an organization’s `codehost` it is chosen by you, 16 to 256 characters, and makes the connection receive events. Sealed.',
  })
  @IsRequiredText()
  webhook_secret!: string;
}
