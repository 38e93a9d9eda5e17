import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, type ValidationArguments } from 'class-validator';
import type { JsonValue } from '../../domain/json.js';
import { CONNECTOR_AUTH_MODES, type AuthHints, type ConnectorAuthMode } from '../../domain/catalog/connector.js';
import { Connector } from '../catalog/catalog.dto.js';
import { ConnectConnector, ConnectedConnector } from '../catalog/connect.dto.js';
import { AuthHintsView } from '../catalog/connector-parts.dto.js';
import { ValidatedByService } from '../http/validated.js';

const describeText = ({ value }: ValidationArguments): string =>
  value === undefined || value === null ? 'is required' : 'must be a string';

export class ProbeServer {
  @ApiProperty({ type: 'string', maxLength: 2048, description: 'The MCP endpoint.' })
  @IsString({ message: describeText })
  url!: string;
}

export class ProbedTool {
  @ApiProperty()
  name!: string;

  @ApiProperty()
  description!: string;
}

class ProbedIssuer {
  @ApiProperty()
  issuer!: string;

  @ApiProperty()
  authorization_endpoint!: string;

  @ApiProperty({ type: [String] })
  scopes_supported!: string[];
}

/** What a server says to a stranger. Nothing of it is stored. */
export class ProbedServer {
  @ApiProperty()
  url!: string;

  @ApiProperty({ enum: ['streamable_http'] })
  transport!: 'streamable_http';

  @ApiProperty({ description: 'Whether it answers as an MCP server, be it with a request for a credential.' })
  reachable!: boolean;

  @ApiProperty({ enum: CONNECTOR_AUTH_MODES, nullable: true, description: 'Null for one that is not reachable.' })
  auth_mode!: ConnectorAuthMode | null;

  @ApiProperty({ description: 'Whether it names an authorization server that can be used.' })
  oauth_available!: boolean;

  @ApiProperty({ description: 'Whether it asked for a credential, which may be a key.' })
  static_possible!: boolean;

  @ApiProperty({ type: [ProbedTool], maxItems: 64 })
  tools_preview!: ProbedTool[];

  @ApiProperty()
  tools_truncated!: boolean;

  @ApiProperty({ type: ProbedIssuer, nullable: true })
  oauth!: ProbedIssuer | null;

  @ApiProperty({ type: AuthHintsView })
  auth_hints!: AuthHints;

  @ApiProperty({ type: [String], description: 'Sentences for a person.' })
  notes!: string[];
}

/**
 * A connector and its connection in one request; members that are not here are those of a connector without them. The other members
 * of the connector are judged together, as those of every connector, by `parseConnector`.
 */
@ValidatedByService()
export class AddServer extends ConnectConnector {
  @ApiProperty({ type: 'string', maxLength: 2048, description: 'The MCP endpoint.' })
  @IsString({ message: describeText })
  url!: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: 120, description: 'The host if left out.' })
  name?: JsonValue;

  @ApiPropertyOptional({
    enum: CONNECTOR_AUTH_MODES,
    nullable: true,
    description: '`api_key` when a token is given and `none` otherwise, if left out.',
  })
  auth_mode?: JsonValue;

  @ApiPropertyOptional({ type: 'string', nullable: true, pattern: '^[A-Za-z0-9_-]{1,64}$' })
  header_name?: JsonValue;

  @ApiPropertyOptional({ type: 'string', enum: ['Bearer', 'Basic', ''], nullable: true })
  scheme?: JsonValue;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: 2048 })
  icon?: JsonValue;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: 2000 })
  description?: JsonValue;
}

export class AddedServer extends ConnectedConnector {
  @ApiProperty({ description: 'Slug of the entry that was added.' })
  slug!: string;

  @ApiProperty({ type: Connector })
  connector!: Connector;
}
