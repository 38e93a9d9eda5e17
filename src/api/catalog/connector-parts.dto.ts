import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  PROVENANCE_SOURCES,
  type AuthHints,
  type Provenance,
  type SandboxLaunch,
} from '../../domain/catalog/connector.js';
import type { ToolHint } from '../../domain/catalog/connector.js';
import type { FrozenTool } from '../../domain/run/spec.js';
import { ToolDefinition } from '../capabilities/capabilities.dto.js';

export class AuthHintsView implements AuthHints {
  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'Header that carries the key.',
  })
  header_name?: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, enum: ['Bearer', 'Basic', '', null] })
  scheme?: string;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: 120,
    description: 'How several parts make one key, for example `email:token`.',
  })
  composite?: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, format: 'uri', description: 'Where a person makes a key.' })
  key_url?: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: 120 })
  placeholder?: string;
}

export class ToolHintView implements ToolHint {
  @ApiProperty({ maxLength: 200, pattern: '^[A-Za-z0-9_.*-]+$' })
  pattern!: string;

  @ApiProperty({ enum: ['allow', 'approve'] })
  action!: 'allow' | 'approve';

  @ApiProperty({ type: 'string', nullable: true, maxLength: 500 })
  note!: string | null;
}

export class SandboxLaunchView implements SandboxLaunch {
  @ApiProperty({ minLength: 1, description: 'Program as the sandbox sees it.' })
  command!: string;

  @ApiProperty({ type: [String] })
  args!: string[];

  @ApiProperty({ type: [ToolDefinition], minItems: 1, maxItems: 64 })
  tools!: FrozenTool[];
}

export class ProvenanceView implements Provenance {
  @ApiProperty({ enum: PROVENANCE_SOURCES })
  source!: Provenance['source'];

  @ApiProperty({ type: 'string', nullable: true })
  source_ref!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  upstream_id!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  status!: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  imported_at!: string | null;
}
