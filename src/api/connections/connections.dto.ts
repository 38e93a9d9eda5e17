import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CONNECTION_STATUSES, PROVIDERS, type ConnectionRecord } from '../../domain/connections/connection.js';
import type { AuthKind, ConnectionProvider, ConnectionStatus } from '../../domain/connections/connection.js';
import type { SnapshotChanges } from '../../domain/connections/snapshot-changes.js';
import type { JsonObject } from '../../domain/json.js';
import type { ToolSnapshot } from '../../core/connections/tool-snapshots.js';

const OBJECT = { type: 'object', additionalProperties: true } as const;

/** A connection as it is answered: everything but secrets. */
export class Connection {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  tenant_id!: string;

  @ApiProperty({ enum: PROVIDERS })
  provider!: ConnectionProvider;

  @ApiProperty({ description: 'Account id, installation id, or host.' })
  external_account_id!: string;

  @ApiProperty()
  display_name!: string;

  @ApiProperty({ type: [String] })
  granted_scopes!: string[];

  @ApiProperty({ ...OBJECT, description: 'Empty in this version.' })
  resource_selection!: JsonObject;

  @ApiProperty({ enum: CONNECTION_STATUSES })
  status!: ConnectionStatus;

  @ApiProperty({ ...OBJECT, description: 'What this kind of connection keeps beside its columns.' })
  metadata!: JsonObject;

  @ApiProperty({ enum: ['static', 'oauth', 'none'] })
  auth_kind!: AuthKind;

  @ApiProperty({ ...OBJECT, nullable: true, description: 'State of an OAuth grant that is no secret.' })
  oauth!: JsonObject | null;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true })
  registration_id!: string | null;

  @ApiProperty({ enum: ['organization', 'user'] })
  owner_type!: 'organization' | 'user';

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'Set exactly for a personal connection.',
  })
  owner_user_id!: string | null;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true, description: 'Null when the admin token made it.' })
  created_by_user_id!: string | null;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1 })
  authorization_generation!: number;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;

  @ApiProperty({ enum: ['organization', 'personal'] })
  owner!: 'organization' | 'personal';

  @ApiProperty({ type: 'string', nullable: true, description: 'Audience of the credential; null for a code host.' })
  base_url!: string | null;

  @ApiProperty({ description: 'Scheme of the credential; empty for a bare token.' })
  scheme!: string;

  @ApiProperty({ type: [String], description: 'OAuth scopes that are asked for.' })
  scopes!: string[];
}

export class ConnectionList {
  @ApiProperty({ type: [Connection], description: 'Newest first.' })
  connections!: Connection[];
}

class SnapshotToolView {
  @ApiProperty()
  name!: string;

  @ApiProperty()
  description!: string;
}

/** A snapshot of a server's tools; their schemas stay with the control plane. */
export class Snapshot {
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, description: 'Counted per connection.' })
  version!: number;

  @ApiProperty({ description: 'MCP version that was negotiated.' })
  protocol_version!: string;

  @ApiProperty({ description: '`sha256:` over names, descriptions and schemas of the tools.' })
  tools_digest!: string;

  @ApiProperty({ description: 'The same as `tools_digest`.' })
  digest!: string;

  @ApiProperty({ format: 'date-time' })
  discovered_at!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1 })
  authorization_generation!: number;

  @ApiProperty({ type: [SnapshotToolView] })
  tools!: SnapshotToolView[];
}

class ProtocolChange {
  @ApiProperty()
  from!: string;

  @ApiProperty()
  to!: string;
}

class ChangesView implements SnapshotChanges {
  @ApiProperty({ type: [String] })
  added!: string[];

  @ApiProperty({ type: [String] })
  removed!: string[];

  @ApiProperty({ type: [String], description: 'Same name, another description or schema.' })
  changed!: string[];

  @ApiProperty({ type: ProtocolChange, nullable: true })
  protocol!: ProtocolChange | null;
}

export class RefreshedSnapshot extends Snapshot {
  @ApiProperty({
    type: ChangesView,
    nullable: true,
    description: 'Against the previous snapshot; null for the first one. Runs in flight keep what they froze.',
  })
  changes!: ChangesView | null;
}

export class CreatedConnection extends Connection {
  @ApiPropertyOptional({ type: Snapshot, description: 'Of a static `mcp_http`.' })
  snapshot?: Snapshot;

  @ApiPropertyOptional({ description: 'Of an OAuth connection: where to start connecting.' })
  next?: string;

  @ApiPropertyOptional({
    description:
      'Of a `codehost_app`, and a `codehost` with a webhook secret: the path to enter as webhook address there.',
  })
  ingress_path?: string;
}

export function toConnection(record: ConnectionRecord): Connection {
  return {
    id: record.id,
    tenant_id: record.tenant_id,
    provider: record.provider,
    external_account_id: record.external_account_id,
    display_name: record.display_name,
    granted_scopes: record.granted_scopes,
    resource_selection: record.resource_selection,
    status: record.status,
    metadata: record.metadata as JsonObject,
    auth_kind: record.auth_kind,
    oauth: record.oauth as JsonObject | null,
    registration_id: record.registration_id,
    owner_type: record.owner_type,
    owner_user_id: record.owner_user_id,
    created_by_user_id: record.created_by_user_id,
    authorization_generation: record.authorization_generation,
    created_at: record.created_at.toISOString(),
    updated_at: record.updated_at.toISOString(),
    owner: record.owner_type === 'user' ? 'personal' : 'organization',
    base_url: record.metadata.base_url ?? null,
    scheme: record.metadata.scheme ?? 'Bearer',
    scopes: record.oauth?.scopes ?? [],
  };
}

export function toSnapshotView(snapshot: ToolSnapshot): Snapshot {
  return {
    version: snapshot.version,
    protocol_version: snapshot.protocolVersion,
    tools_digest: snapshot.digest,
    digest: snapshot.digest,
    discovered_at: snapshot.discoveredAt.toISOString(),
    authorization_generation: snapshot.authorizationGeneration,
    tools: snapshot.tools.map(({ name, description }) => ({ name, description })),
  };
}
