import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsIn, IsOptional } from 'class-validator';
import {
  CONNECTOR_AUTH_MODES,
  CONNECTOR_TIERS,
  CONNECTOR_TRANSPORTS,
  isConnectable,
  type AuthHints,
  type ConnectorAuthMode,
  type ConnectorTier,
  type ConnectorTransport,
  type Provenance,
  type SandboxLaunch,
  type ToolHint,
} from '../../domain/catalog/connector.js';
import { CONNECTION_STATUSES, type AuthKind, type ConnectionStatus } from '../../domain/connections/connection.js';
import { SCOPE_PATTERN } from '../../domain/connections/oauth-client.js';
import { HOST_PATTERN } from '../../domain/catalog/parse-connector.js';
import type { CatalogRow, EntryBundle, EntryConnection } from '../../core/catalog/connector-queries.js';
import type { ConnectorEntity } from '../../core/catalog/connector.entity.js';
import { AuthHintsView, ProvenanceView, SandboxLaunchView, ToolHintView } from './connector-parts.dto.js';

const SLUG = '^[a-z0-9][a-z0-9-]{0,63}$';
/** Texts of at most `maxLength` characters each. */
const texts = (maxLength: number, pattern?: string) => ({
  type: 'array' as const,
  items: { type: 'string' as const, minLength: 1, maxLength, ...(pattern === undefined ? {} : { pattern }) },
  nullable: true,
  default: [],
});

/** The whole body is judged by `parseConnector`. */
export class CreateConnector {
  @ApiProperty({ pattern: SLUG, description: 'May be that of a global entry, which it then shadows.' })
  @Allow()
  slug!: string;

  @ApiProperty({ minLength: 1, maxLength: 120 })
  @Allow()
  name!: string;

  @ApiPropertyOptional({
    type: 'string',
    enum: [...CONNECTOR_TIERS, null],
    nullable: true,
    description: 'Accepted from those who send an entry that they have read; it is stored as `custom`.',
  })
  @IsOptional()
  @IsIn(CONNECTOR_TIERS)
  tier?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: 2048,
    description: 'A symbol of at most 16 characters, or an https address.',
  })
  @Allow()
  icon?: string | null;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: 2000 })
  @Allow()
  description?: string | null;

  @ApiPropertyOptional({ ...texts(64), maxItems: 16 })
  @Allow()
  categories?: string[];

  @ApiPropertyOptional({
    ...texts(256, SCOPE_PATTERN),
    maxItems: 64,
    description: 'Asked for when an OAuth connection is authorized.',
  })
  @Allow()
  scopes?: string[];

  @ApiPropertyOptional({
    ...texts(255, HOST_PATTERN),
    maxItems: 32,
    description: 'Hosts that the connector speaks to; shown to people.',
  })
  @Allow()
  egress?: string[];

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: 2048,
    description: 'The MCP endpoint; required for `streamable_http`.',
  })
  @Allow()
  url?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    enum: [...CONNECTOR_TRANSPORTS, null],
    nullable: true,
    default: 'streamable_http',
  })
  @Allow()
  transport?: ConnectorTransport;

  @ApiPropertyOptional({ type: 'string', enum: [...CONNECTOR_AUTH_MODES, null], nullable: true, default: 'none' })
  @Allow()
  auth_mode?: ConnectorAuthMode;

  @ApiPropertyOptional({ type: AuthHintsView, nullable: true })
  @Allow()
  auth_hints?: AuthHints;

  @ApiPropertyOptional({ type: [ToolHintView], nullable: true, maxItems: 64, default: [] })
  @Allow()
  tool_hints?: ToolHint[];

  @ApiPropertyOptional({ type: SandboxLaunchView, nullable: true, description: 'Required for `stdio`.' })
  @Allow()
  sandbox_launch?: SandboxLaunch | null;
}

/** A connector definition. It never holds a credential. */
export class Connector {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ pattern: SLUG })
  slug!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ type: 'string', nullable: true })
  icon!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  description!: string | null;

  @ApiProperty({ type: [String] })
  categories!: string[];

  @ApiProperty({ type: [String] })
  scopes!: string[];

  @ApiProperty({ type: [String], description: 'Informational.' })
  egress!: string[];

  @ApiProperty({ enum: CONNECTOR_TIERS })
  tier!: ConnectorTier;

  @ApiProperty({ type: 'string', nullable: true, description: 'The MCP endpoint; null for a program of the sandbox.' })
  url!: string | null;

  @ApiProperty({ enum: CONNECTOR_TRANSPORTS })
  transport!: ConnectorTransport;

  @ApiProperty({ enum: CONNECTOR_AUTH_MODES })
  auth_mode!: ConnectorAuthMode;

  @ApiProperty({ type: AuthHintsView })
  auth_hints!: AuthHints;

  @ApiProperty({ type: [ToolHintView], description: 'Suggestions to people. The policy of a run decides.' })
  tool_hints!: ToolHint[];

  @ApiProperty({ type: SandboxLaunchView, nullable: true })
  sandbox_launch!: SandboxLaunch | null;

  @ApiProperty({ type: ProvenanceView })
  provenance!: Provenance;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true, description: 'Null for an entry of the deployment.' })
  tenant_id!: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  disabled_at!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
}

class EntryBundleView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1 })
  version!: number;
}

class EntryConnectionView implements EntryConnection {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ enum: CONNECTION_STATUSES })
  status!: ConnectionStatus;

  @ApiProperty({ enum: ['static', 'oauth', 'none'] })
  auth_kind!: AuthKind;
}

/** A definition with what the organization made of it. */
export class CatalogEntry extends Connector {
  @ApiProperty({
    type: EntryConnectionView,
    nullable: true,
    description:
      'A connection to its address that the caller may see and that is not revoked: an active one if there is one.',
  })
  connection!: EntryConnection | null;

  @ApiProperty({ type: EntryBundleView, nullable: true, description: 'The newest capability bundle named after it.' })
  bundle!: EntryBundle | null;

  @ApiProperty({ description: 'False for an entry that is listed for reference only.' })
  connectable!: boolean;
}

export class CatalogList {
  @ApiProperty({ type: [CatalogEntry] })
  connectors!: CatalogEntry[];
}

export function toConnector(row: ConnectorEntity): Connector {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    icon: row.icon,
    description: row.description,
    categories: row.categories,
    scopes: row.scopes,
    egress: row.egress,
    tier: row.tier,
    url: row.url,
    transport: row.transport,
    auth_mode: row.auth_mode,
    auth_hints: row.auth_hints,
    tool_hints: row.tool_hints,
    sandbox_launch: row.sandbox_launch,
    provenance: row.provenance,
    tenant_id: row.tenant_id,
    disabled_at: row.disabled_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function toCatalogEntry(row: CatalogRow): CatalogEntry {
  return { ...toConnector(row), connection: row.connection, bundle: row.bundle, connectable: isConnectable(row) };
}
