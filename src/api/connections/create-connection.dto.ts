import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { PROVIDERS, type ConnectionProvider } from '../../domain/connections/connection.js';
import { MAX_SCOPES, SCOPE_PATTERN } from '../../domain/connections/oauth-client.js';
import { MAX_OPTIONAL_TEXT } from '../../domain/connections/optional-text.js';
import { CREDENTIAL_SCHEMES } from '../../domain/connections/static-credential.js';

export const OPTIONAL_TEXT = { type: 'string', nullable: true, maxLength: MAX_OPTIONAL_TEXT } as const;
export const SCOPES = {
  type: 'array',
  items: { type: 'string', pattern: SCOPE_PATTERN },
  maxItems: MAX_SCOPES,
} as const;

/** Older names, which some clients still send. */
export const FORMER_PROVIDERS: ReadonlyMap<unknown, ConnectionProvider> = new Map([
  ['github', 'codehost'],
  ['github_app', 'codehost_app'],
]);

/** Permission is decided before any member but `owner` is judged, so the service validates the members' meaning (CP-329). */
export class CreateConnection {
  @ApiProperty({
    type: 'string',
    enum: [...PROVIDERS, ...FORMER_PROVIDERS.keys()],
    description: '`github` and `github_app` are older names of `codehost` and `codehost_app`.',
  })
  @Allow()
  provider!: unknown;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['organization', 'personal', ''],
    nullable: true,
    default: 'organization',
    description: 'An organization needs the role admin or owner; `personal` needs a signed-in user.',
  })
  @Allow()
  owner?: unknown;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    writeOnly: true,
    description: 'The secret of `codehost` and of a static `mcp_http`. Sealed, never answered.',
  })
  @Allow()
  token?: unknown;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: 200,
    description: 'Account, app or host if left out.',
  })
  @Allow()
  display_name?: unknown;

  @ApiPropertyOptional({ type: 'string', nullable: true, description: 'Of `mcp_http`: the endpoint, http(s).' })
  @Allow()
  base_url?: unknown;

  @ApiPropertyOptional({ type: 'string', enum: ['static', 'oauth'], nullable: true, default: 'static' })
  @Allow()
  auth_kind?: unknown;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    default: 'authorization',
    description: 'Header that carries a static credential, instead of `authorization`.',
  })
  @Allow()
  header_name?: unknown;

  @ApiPropertyOptional({
    type: 'string',
    enum: CREDENTIAL_SCHEMES,
    nullable: true,
    default: 'Bearer',
    description: '`Basic` takes a token `user:password`; the empty scheme sends the bare token.',
  })
  @Allow()
  scheme?: unknown;

  @ApiPropertyOptional({ ...SCOPES, nullable: true, description: 'OAuth scopes to ask for.' })
  @Allow()
  scopes?: unknown;

  @ApiPropertyOptional({ ...OPTIONAL_TEXT, description: 'OAuth client that was registered by hand.' })
  @Allow()
  client_id?: unknown;

  @ApiPropertyOptional({ ...OPTIONAL_TEXT, writeOnly: true, description: 'Its secret. Sealed.' })
  @Allow()
  client_secret?: unknown;

  @ApiPropertyOptional({ type: 'string', nullable: true, pattern: '^[0-9]{1,20}$', description: 'Of `codehost_app`.' })
  @Allow()
  app_id?: unknown;

  @ApiPropertyOptional({ type: 'string', nullable: true, pattern: '^[0-9]{1,20}$', description: 'Of `codehost_app`.' })
  @Allow()
  installation_id?: unknown;

  @ApiPropertyOptional({ ...OPTIONAL_TEXT, writeOnly: true, description: 'PEM of the app. Sealed.' })
  @Allow()
  private_key?: unknown;

  @ApiPropertyOptional({ ...OPTIONAL_TEXT, writeOnly: true, description: 'Of `codehost_app`. Sealed.' })
  @Allow()
  webhook_secret?: unknown;
}
