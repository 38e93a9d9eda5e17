import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  BINDING_MODES,
  MAX_REQUIRED_TOOLS,
  SLOT_PATTERN,
  SLUG_PATTERN,
  TOOL_NAME_PATTERN,
  type BindingMode,
  type ConnectionRequirement,
} from '../../domain/connections/requirement.js';

class ConnectorBody {
  @ApiProperty({
    format: 'uri',
    maxLength: 2048,
    description: 'Address of the service; what a connection is chosen by.',
  })
  url!: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, pattern: SLUG_PATTERN, description: 'Label for people.' })
  slug?: string;
}

/** What an agent needs of a connected service (docs/design/connections.md); judged as a whole by `parseRequirements`. */
export class ConnectionRequirementBody implements ConnectionRequirement {
  @ApiProperty({ pattern: SLOT_PATTERN, description: 'Its tools are called `mcp__<slot>__<tool>`.' })
  slot!: string;

  @ApiProperty({ type: ConnectorBody })
  connector!: ConnectorBody;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', pattern: TOOL_NAME_PATTERN },
    minItems: 1,
    maxItems: MAX_REQUIRED_TOOLS,
    uniqueItems: true,
    description: 'The only tools that a run may call; each must be in the latest snapshot of the connection.',
  })
  required_tools!: string[];

  @ApiProperty({
    enum: BINDING_MODES,
    description: 'Whose connection serves: the starter’s own, or the organization’s.',
  })
  binding_mode!: BindingMode;
}
