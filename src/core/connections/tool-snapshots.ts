import { v7 as uuidv7 } from 'uuid';
import { endpointOf, type ConnectionRecord } from '../../domain/connections/connection.js';
import { SandgateError } from '../../domain/errors.js';
import type { SnapshotTool } from '../../domain/mcp/snapshot-tool.js';
import { isUniqueViolation } from '../../platform/postgres/database-errors.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { PhotographError, type Photograph, type PhotographRequest } from '../../platform/mcp/photograph.js';
import type { ConnectionCredentials } from './connection-credentials.js';

/** Takes a snapshot over a session of its own. @throws PhotographError with what the server did wrong */
export type Photographer = (request: Pick<PhotographRequest, 'url' | 'headers'>) => Promise<Photograph>;

export interface ToolSnapshot {
  id: string;
  connectionId: string;
  version: number;
  authorizationGeneration: number;
  protocolVersion: string;
  tools: SnapshotTool[];
  digest: string;
  discoveredAt: Date;
}

/** Snapshots of what connections offer: append-only, numbered per connection (docs/design/connections.md). */
export class ToolSnapshots {
  constructor(
    private readonly db: Database,
    private readonly credentials: ConnectionCredentials,
    private readonly photographer: Photographer,
  ) {}

  /**
   * Takes a snapshot of an active connection with its stored credential and appends the next version, even when nothing changed.
   *
   * @throws SandgateError `conflict` when the connection is not active or has changed meanwhile, `invalid_request` when there is
   * no endpoint to ask or the server does not pass
   */
  async take(connection: ConnectionRecord): Promise<ToolSnapshot> {
    const { id, tenant_id: organizationId, authorization_generation: generation } = connection;
    const url = endpointOf(connection);
    if (url === null || connection.provider !== 'mcp_http') {
      throw new SandgateError('invalid_request', 'this connection has no endpoint with tools');
    }
    const { headers } = await this.credentials.headersFor({ organizationId, connectionId: id, generation });
    const photograph = await this.photograph(url, headers);
    return this.db.withTenant(organizationId, (tx) => appendSnapshot(tx, { id, generation }, photograph));
  }

  /**
   * Takes a snapshot with headers that are not stored yet, for a connection that is created only if the server passes.
   *
   * @throws SandgateError `invalid_request` with what the server did wrong
   */
  async photograph(url: string, headers: Record<string, string>): Promise<Photograph> {
    try {
      return await this.photographer({ url, headers });
    } catch (cause) {
      if (cause instanceof PhotographError) throw new SandgateError('invalid_request', cause.message, { cause });
      throw cause;
    }
  }

  latest(organizationId: string, connectionId: string): Promise<ToolSnapshot | null> {
    return this.db.withTenant(organizationId, (tx) => latestSnapshot(tx, connectionId));
  }
}

/**
 * Appends the next version, if the connection is still active at the generation under which the snapshot was taken.
 *
 * @throws SandgateError `conflict` when it is not, or when another snapshot was faster: try again
 */
export async function appendSnapshot(
  tx: TenantTransaction,
  connection: { id: string; generation: number },
  photograph: Photograph,
): Promise<ToolSnapshot> {
  const raced = 'the connection changed while its tools were read: try again';
  try {
    const [row] = await tx.query<SnapshotRow>(
      `insert into connection_tool_snapshots (id, tenant_id, connection_id, snapshot_version, authorization_generation,
         protocol_version, tools_json, tools_digest, discovered_at)
       select $1, c.tenant_id, c.id,
              1 + coalesce((select max(s.snapshot_version) from connection_tool_snapshots s where s.connection_id = c.id), 0),
              c.authorization_generation, $4, $5, $6, clock_timestamp()
         from integration_connections c where c.id = $2 and c.status = 'active' and c.authorization_generation = $3
          for share of c
       returning ${SNAPSHOT_COLUMNS}`,
      [
        uuidv7(),
        connection.id,
        connection.generation,
        photograph.protocolVersion,
        JSON.stringify(photograph.tools),
        photograph.digest,
      ],
    );
    if (row === undefined) throw new SandgateError('conflict', raced);
    return toSnapshot(row);
  } catch (cause) {
    if (isUniqueViolation(cause)) throw new SandgateError('conflict', raced, { cause });
    throw cause;
  }
}

export async function latestSnapshot(tx: TenantTransaction, connectionId: string): Promise<ToolSnapshot | null> {
  const [row] = await tx.query<SnapshotRow>(
    `select ${SNAPSHOT_COLUMNS} from connection_tool_snapshots
      where connection_id = $1 order by snapshot_version desc limit 1`,
    [connectionId],
  );
  return row === undefined ? null : toSnapshot(row);
}

const SNAPSHOT_COLUMNS = `id, connection_id, snapshot_version, authorization_generation, protocol_version,
  tools_json, tools_digest, discovered_at`;

interface SnapshotRow {
  id: string;
  connection_id: string;
  snapshot_version: number;
  authorization_generation: number;
  protocol_version: string;
  tools_json: SnapshotTool[];
  tools_digest: string;
  discovered_at: Date;
}

function toSnapshot(row: SnapshotRow): ToolSnapshot {
  return {
    id: row.id,
    connectionId: row.connection_id,
    version: row.snapshot_version,
    authorizationGeneration: row.authorization_generation,
    protocolVersion: row.protocol_version,
    tools: row.tools_json,
    digest: row.tools_digest,
    discoveredAt: row.discovered_at,
  };
}
