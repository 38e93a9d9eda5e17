import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsOptional } from 'class-validator';
import type { JsonValue } from '../../domain/json.js';
import { CapabilityBundleView, ServerSummary } from '../capabilities/capabilities.dto.js';
import { Connection, Snapshot } from '../connections/connections.dto.js';
import {
  IsDisplayName,
  IsOptionalText,
  IsOwner,
  IsToken,
  OPTIONAL_TEXT,
  OWNER,
  SCOPES,
  type RequestedOwner,
} from '../connections/connection-members.js';
import { OptionalBody } from '../http/optional-body.js';
import { ValidatedByService } from '../http/validated.js';

/**
 * Who may is decided before anything but `owner` is read, and which members belong depends on the entry; `token` is required where
 * it belongs.
 */
@OptionalBody()
@ValidatedByService()
export class ConnectConnector {
  @ApiPropertyOptional(OWNER)
  @IsOwner()
  owner?: RequestedOwner | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    writeOnly: true,
    description: 'The key of an `api_key` connector. Sealed, never answered.',
  })
  @IsToken()
  token!: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: 200, description: "The entry's name if left out." })
  @IsDisplayName()
  display_name?: string | null;

  /** The name of the bundle, which is judged with the rest of the bundle. */
  @ApiPropertyOptional({ type: 'string', nullable: true, description: 'Of a `stdio` connector; its slug if left out.' })
  bundle_name?: JsonValue;

  @ApiPropertyOptional({ ...OPTIONAL_TEXT, description: 'OAuth client that was registered by hand.' })
  @IsOptionalText()
  client_id?: string | null;

  @ApiPropertyOptional({ ...OPTIONAL_TEXT, writeOnly: true, description: 'Its secret. Sealed.' })
  @IsOptionalText()
  client_secret?: string | null;

  @ApiPropertyOptional({ ...SCOPES, nullable: true, description: "Asked for besides the entry's own scopes." })
  @IsOptional()
  @IsArray({ message: 'must be an array of strings' })
  scopes?: JsonValue[] | null;
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
