import { endpointOf, type ConnectionRecord } from '../../domain/connections/connection.js';
import { SandgateError } from '../../domain/errors.js';
import type { SnapshotTool } from '../../domain/mcp/snapshot-tool.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { isUniqueViolation } from '../../platform/postgres/database-errors.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { SnapshotError, type ServerSnapshot, type SnapshotRequest } from '../../platform/mcp/take-snapshot.js';
import type { ConnectionCredentials } from './connection-credentials.js';
import { ToolSnapshotEntity } from './tool-snapshot.entity.js';

/** Takes a snapshot over a session of its own. @throws SnapshotError with what the server did wrong */
export type TakeSnapshot = (request: Pick<SnapshotRequest, 'url' | 'headers'>) => Promise<ServerSnapshot>;

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
    private readonly takeSnapshot: TakeSnapshot,
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
    const snapshot = await this.takeFrom(url, headers);
    return this.db.withTenant(organizationId, (tx) => appendSnapshot(tx, { id, generation }, snapshot));
  }

  /**
   * Takes a snapshot with headers that are not stored yet, for a connection that is created only if the server passes.
   *
   * @throws SandgateError `invalid_request` with what the server did wrong
   */
  async takeFrom(url: string, headers: Record<string, string>): Promise<ServerSnapshot> {
    try {
      return await this.takeSnapshot({ url, headers });
    } catch (cause) {
      if (cause instanceof SnapshotError) throw new SandgateError('invalid_request', cause.message, { cause });
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
  snapshot: ServerSnapshot,
): Promise<ToolSnapshot> {
  const raced = 'the connection changed while its tools were read: try again';
  try {
    const [row] = await tx.query<ToolSnapshotEntity>('select * from svc_append_tool_snapshot($1, $2, $3, $4, $5, $6)', [
      newRowId(),
      connection.id,
      connection.generation,
      snapshot.protocolVersion,
      JSON.stringify(snapshot.tools),
      snapshot.digest,
    ]);
    if (row === undefined) throw new SandgateError('conflict', raced);
    return toSnapshot(row);
  } catch (cause) {
    if (isUniqueViolation(cause)) throw new SandgateError('conflict', raced, { cause });
    throw cause;
  }
}

export async function latestSnapshot(tx: TenantTransaction, connectionId: string): Promise<ToolSnapshot | null> {
  const row = await tx.manager.findOne(ToolSnapshotEntity, {
    where: { connection_id: connectionId },
    order: { snapshot_version: 'DESC' },
  });
  return row && toSnapshot(row);
}

function toSnapshot(row: ToolSnapshotEntity): ToolSnapshot {
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
