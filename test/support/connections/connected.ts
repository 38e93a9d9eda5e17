import { v7 as uuidv7 } from 'uuid';
import type { ConnectionStatus } from '../../../src/domain/connections/connection.js';
import { toolsDigest } from '../../../src/domain/capabilities/tools-digest.js';
import { digestOf } from '../../../src/domain/digest/digest.js';
import type { ProtocolVersion } from '../../../src/domain/mcp/protocol-versions.js';
import type { SnapshotTool } from '../../../src/domain/mcp/snapshot-tool.js';
import { insertConnection } from '../../../src/core/connections/connection-rows.js';
import { appendSnapshot } from '../../../src/core/connections/tool-snapshots.js';
import type { Database } from '../../../src/core/record/database.js';

export interface ConnectedOptions {
  name?: string;
  url?: string;
  /** Whose it is; the organization's without one. */
  owner?: string;
  provider?: 'codehost' | 'mcp_http';
  status?: ConnectionStatus;
  /** Names of the tools in the snapshot; null takes no snapshot. */
  tools?: string[] | null;
  protocolVersion?: ProtocolVersion;
}

export const CRM_URL = 'https://crm.example.com/mcp';

/** A connection as it is after its creation, tool snapshot included, without a server behind it. */
export async function connected(db: Database, organizationId: string, options: ConnectedOptions = {}): Promise<string> {
  const { provider = 'mcp_http', url = CRM_URL, owner = null, name = 'CRM', tools = ['find', 'update'] } = options;
  const id = uuidv7();
  await db.withTenant(organizationId, async (tx) => {
    await insertConnection(tx, {
      id,
      provider,
      external_account_id: new URL(url).host,
      display_name: name,
      status: 'active',
      auth_kind: 'none',
      owner_type: owner === null ? 'organization' : 'user',
      owner_user_id: owner,
      created_by_user_id: null,
      ...(provider === 'mcp_http' ? { metadata: { base_url: url, endpoint_url: url } } : {}),
    });
    if (provider === 'mcp_http' && tools !== null) {
      const protocolVersion = options.protocolVersion ?? '2025-11-25';
      const taken = tools.map(snapshotTool);
      await appendSnapshot(tx, { id, generation: 1 }, { protocolVersion, tools: taken, digest: toolsDigest(taken) });
    }
    await tx.query('update integration_connections set status = $2 where id = $1', [id, options.status ?? 'active']);
  });
  return id;
}

export function snapshotTool(name: string): SnapshotTool {
  const definition = {
    name,
    description: `what ${name} does`,
    input_schema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  };
  return { ...definition, definition_digest: digestOf(definition) };
}
