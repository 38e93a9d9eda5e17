import { ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { CapabilityBundleView, ServerSummary } from '../capabilities/capabilities.dto.js';
import { Connection, Snapshot } from '../connections/connections.dto.js';
import { OPTIONAL_TEXT, SCOPES } from '../connections/create-connection.dto.js';
import { OptionalBody } from '../http/optional-body.js';

const OWNER = {
  type: 'string',
  enum: ['organization', 'personal', ''],
  nullable: true,
  default: 'organization',
  description: 'An organization needs the role admin or owner; `personal` needs a signed-in user.',
} as const;

/** Permission is decided before any member but `owner` is judged, so the service validates the members' meaning. */
@OptionalBody()
export class ConnectConnector {
  @ApiPropertyOptional(OWNER)
  @Allow()
  owner?: unknown;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    writeOnly: true,
    description: 'The key of an `api_key` connector. Sealed, never answered.',
  })
  @Allow()
  token?: unknown;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: 200, description: "The entry's name if left out." })
  @Allow()
  display_name?: unknown;

  @ApiPropertyOptional({ type: 'string', nullable: true, description: 'Of a `stdio` connector; its slug if left out.' })
  @Allow()
  bundle_name?: unknown;

  @ApiPropertyOptional({ ...OPTIONAL_TEXT, description: 'OAuth client that was registered by hand.' })
  @Allow()
  client_id?: unknown;

  @ApiPropertyOptional({ ...OPTIONAL_TEXT, writeOnly: true, description: 'Its secret. Sealed.' })
  @Allow()
  client_secret?: unknown;

  @ApiPropertyOptional({ ...SCOPES, nullable: true, description: "Asked for besides the entry's own scopes." })
  @Allow()
  scopes?: unknown;
}

/** What connecting made: which members are there depends on how the connector signs in. */
export class ConnectedConnector {
  @ApiPropertyOptional({ type: Connection, description: 'Of a remote server: active, or pending with OAuth.' })
  connection?: Connection;

  @ApiPropertyOptional({ type: Snapshot, description: 'Of `api_key` and `none`: the tools that the server offers.' })
  snapshot?: Snapshot;

  @ApiPropertyOptional({ description: 'Of `oauth`: the address that a person opens in a browser within ten minutes.' })
  go_url?: string;

  @ApiPropertyOptional({ type: CapabilityBundleView, description: 'Of `stdio`: the bundle that was published.' })
  bundle?: CapabilityBundleView;

  @ApiPropertyOptional({ type: [ServerSummary], description: 'Of `stdio`: its server.' })
  servers?: ServerSummary[];
}
