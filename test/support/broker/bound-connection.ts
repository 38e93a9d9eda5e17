import { v7 as uuidv7 } from 'uuid';
import { insertBindings } from '../../../src/core/bindings/resource-bindings.js';
import type { CallTarget } from '../../../src/core/broker/upstream-call.js';
import type { ConnectionServices } from '../../../src/core/connections/connection-services.js';
import type { ResourceBinding } from '../../../src/domain/connections/resource-binding.js';
import type { BrokeredToolSet } from '../../../src/domain/run/spec.js';
import type { Egress } from '../../../src/platform/egress/egress.js';
import { takeSnapshot } from '../../../src/platform/mcp/take-snapshot.js';
import type { TestDatabase } from '../database/database.js';
import type { HostileServer } from '../mcp/hostile-server.js';
import { createOrganization, createRun } from '../runs/run-fixture.js';

/** A slot of a run, and the connection that it is bound to. */
export interface BoundConnection {
  target: CallTarget;
  connectionId: string;
}

/** Where connections are made, and the server that they lead to. */
export interface BindingPlace {
  database: TestDatabase;
  services: ConnectionServices;
  egress: Egress;
  server: HostileServer;
}

/** A run with one slot, bound to a connection of its own. */
export async function bindConnection(
  place: BindingPlace,
  kind: 'oauth' | 'static',
  baseUrl = place.server.url,
): Promise<BoundConnection> {
  const { database, server } = place;
  const run = await createRun(database.db, { in: await createOrganization(database.db) });
  const { organizationId, runId } = run;
  const connectionId = await insertConnection(place, { organizationId, kind, baseUrl });
  const snapshot = await insertSnapshot(place, { organizationId, connectionId });
  const { tools, digest, protocolVersion } = snapshot;
  const binding: ResourceBinding = {
    id: uuidv7(),
    organizationId,
    runId,
    slotKind: 'mcp',
    slot: 'kb',
    authority: { kind: 'connection', connectionId, generation: 1, ownerType: 'organization', ownerUserId: null },
    toolSet: { snapshotVersion: 1, tools, digest },
    resourceScope: {},
    resolvedBy: { kind: 'operator', id: null },
    bindingMode: 'organization',
  };
  await database.db.withTenant(organizationId, (tx) => insertBindings(tx, [binding]));
  const toolSet: BrokeredToolSet = {
    slot: 'kb',
    url: server.url,
    binding_id: binding.id,
    snapshot_version: 1,
    tools,
    tools_digest: digest,
    protocol_version: protocolVersion,
  };
  await pastRules(database, 'update sessions set run_spec = run_spec || $2::jsonb where id = $1', [
    runId,
    JSON.stringify({ brokered: [toolSet] }),
  ]);
  return { connectionId, target: { organizationId, runId, binding, toolSet } };
}

/** The connection as if its server had always stood there. */
export function moveConnection(database: TestDatabase, connectionId: string, url: string): Promise<void> {
  return pastRules(database, 'update integration_connections set metadata = $2::jsonb where id = $1', [
    connectionId,
    JSON.stringify({ base_url: url, endpoint_url: url }),
  ]);
}

/** The binding as if this person had started the run. */
export async function boundBy(
  database: TestDatabase,
  { target }: BoundConnection,
  userId: string,
): Promise<CallTarget> {
  const sql = `update run_resource_bindings set resolved_by_principal_kind = 'user', resolved_by_principal_id = $2 where id = $1`;
  await pastRules(database, sql, [target.binding.id, userId]);
  return { ...target, binding: { ...target.binding, resolvedBy: { kind: 'user', id: userId } } };
}

async function insertConnection(
  { services, server }: BindingPlace,
  of: { organizationId: string; kind: 'oauth' | 'static'; baseUrl: string },
): Promise<string> {
  const { organizationId, kind, baseUrl } = of;
  const connectionId = uuidv7();
  await services.records.insert(organizationId, {
    id: connectionId,
    provider: 'mcp_http',
    external_account_id: '127.0.0.1',
    display_name: 'a server',
    status: 'active',
    auth_kind: kind,
    owner_type: 'organization',
    owner_user_id: null,
    created_by_user_id: null,
    metadata: { base_url: baseUrl, endpoint_url: baseUrl },
    oauth: kind === 'oauth' ? { resource: server.url, scopes: [] } : null,
    credential: await services.secrets.seal({ organizationId, connectionId }, 'credential', 'a static key'),
  });
  return connectionId;
}

async function insertSnapshot(
  { database, egress, server }: BindingPlace,
  of: { organizationId: string; connectionId: string },
): ReturnType<typeof takeSnapshot> {
  const headers = { authorization: 'Bearer second' };
  const snapshot = await takeSnapshot({ client: egress.guarded, url: server.url, headers });
  await database.db.withTenant(of.organizationId, (tx) =>
    tx.query(
      `insert into connection_tool_snapshots (id, tenant_id, connection_id, snapshot_version, authorization_generation,
         protocol_version, tools_json, tools_digest, discovered_at) values ($1, $2, $3, 1, 1, $4, $5, $6, now())`,
      [
        uuidv7(),
        of.organizationId,
        of.connectionId,
        snapshot.protocolVersion,
        JSON.stringify(snapshot.tools),
        snapshot.digest,
      ],
    ),
  );
  return snapshot;
}

/** Writes what no rule of the schema lets change. */
async function pastRules(database: TestDatabase, sql: string, values: unknown[]): Promise<void> {
  await database.owner.query(`set session_replication_role = replica`);
  await database.owner.query(sql, values);
  await database.owner.query(`set session_replication_role = origin`);
}
