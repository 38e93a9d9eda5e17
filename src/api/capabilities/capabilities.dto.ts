import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { IDENTITY_MEMBERS, type BundleServer } from '../../domain/capabilities/bundle.js';
import { toolsDigest } from '../../domain/capabilities/tools-digest.js';
import type { JsonObject } from '../../domain/json.js';
import type { BundleSummary } from '../../core/capabilities/capability-queries.js';
import type { CapabilityBundleEntity } from '../../core/capabilities/capability-bundle.entity.js';

const SERVER_NAME = '^[a-z0-9][a-z0-9-]{0,63}$';
const SCHEMA = { type: 'object', additionalProperties: true } as const;

export class ToolDefinition {
  @ApiProperty({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9_.-]{1,128}$' })
  name!: string;

  @ApiPropertyOptional({ maxLength: 32_768, default: '' })
  description?: string;

  @ApiPropertyOptional({ ...SCHEMA, description: 'JSON Schema of the arguments.' })
  input_schema?: JsonObject;

  @ApiPropertyOptional({ ...SCHEMA, nullable: true, description: 'Stored and digested, not enforced.' })
  output_schema?: JsonObject | null;

  @ApiPropertyOptional({ ...SCHEMA, nullable: true, description: 'Shown to people; decides nothing.' })
  annotations?: JsonObject | null;
}

class ServerDefinition {
  @ApiProperty({ enum: ['sandbox'], description: 'Brokered tools are connection requirements.' })
  class!: 'sandbox';

  @ApiProperty({ pattern: SERVER_NAME })
  name!: string;

  @ApiProperty({
    minLength: 1,
    description: 'Program as the sandbox sees it, spoken to over standard input and output.',
  })
  command!: string;

  @ApiPropertyOptional({ type: [String], default: [] })
  args?: string[];

  @ApiPropertyOptional({
    type: 'object',
    properties: Object.fromEntries(
      IDENTITY_MEMBERS.map((member) => [member, { type: 'string' as const, nullable: true }]),
    ),
    nullable: true,
    description: 'Where the server came from; shown to people.',
  })
  identity?: Partial<Record<string, string | null>> | null;

  @ApiProperty({ type: [ToolDefinition], minItems: 1, maxItems: 64, description: 'The tools that a run may call.' })
  tools!: ToolDefinition[];
}

/** The whole body is judged by `parseBundle`, in its order (docs/design/tools.md). */
export class CreateCapability {
  @ApiProperty({ minLength: 1, maxLength: 64, pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' })
  @Allow()
  name!: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: 4096 })
  @Allow()
  description?: string | null;

  @ApiProperty({ type: [ServerDefinition], minItems: 1, maxItems: 16 })
  @Allow()
  servers!: ServerDefinition[];
}

class BundleDefinitionView {
  @ApiProperty({ type: [ServerDefinition], description: 'As stored, defaults filled in.' })
  servers!: BundleServer[];
}

export class CapabilityBundleView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  tenant_id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1 })
  version!: number;

  @ApiProperty({ type: 'string', nullable: true })
  description!: string | null;

  @ApiProperty({ type: BundleDefinitionView })
  definition!: BundleDefinitionView;

  @ApiProperty({ description: '`sha256:` over the canonical form of the definition.' })
  definition_digest!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

class ToolSummary {
  @ApiProperty()
  name!: string;

  @ApiProperty()
  description!: string;
}

export class ServerSummary {
  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: ['sandbox'] })
  class!: 'sandbox';

  @ApiProperty({ type: 'integer', format: 'int32' })
  tool_count!: number;

  @ApiProperty({ description: '`sha256:` over names, descriptions and schemas of the tools.' })
  tools_digest!: string;

  @ApiProperty({ type: [ToolSummary] })
  tools!: ToolSummary[];
}

/** A version of a bundle, bare (CP-328), with a summary of its servers. */
export class CapabilityAnswer extends CapabilityBundleView {
  @ApiProperty({ type: [ServerSummary] })
  servers!: ServerSummary[];
}

class CapabilityListEntry {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1 })
  version!: number;

  @ApiProperty({ type: 'string', nullable: true })
  description!: string | null;

  @ApiProperty()
  definition_digest!: string;

  @ApiProperty({ type: 'integer', format: 'int32' })
  server_count!: number;

  @ApiProperty({ type: 'integer', format: 'int32' })
  tool_count!: number;

  @ApiProperty({ type: [String] })
  classes!: string[];

  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

export class CapabilityList {
  @ApiProperty({ type: [CapabilityListEntry], description: 'By name, newest version first.' })
  bundles!: CapabilityListEntry[];
}

export function toCapabilityAnswer(bundle: CapabilityBundleEntity): CapabilityAnswer {
  const { id, tenant_id, name, version, description, definition, definition_digest, created_at } = bundle;
  return {
    id,
    tenant_id,
    name,
    version,
    description,
    definition,
    definition_digest,
    created_at: created_at.toISOString(),
    servers: definition.servers.map((server) => ({
      name: server.name,
      class: server.class,
      tool_count: server.tools.length,
      tools_digest: toolsDigest(server.tools),
      tools: server.tools.map((tool) => ({ name: tool.name, description: tool.description })),
    })),
  };
}

export function toListEntry(row: BundleSummary): CapabilityListEntry {
  return { ...row, created_at: row.created_at.toISOString() };
}
