import { Injectable } from '@nestjs/common';
import type { ConnectorDefinition } from '../../domain/catalog/connector.js';
import { isConnectable } from '../../domain/catalog/connector.js';
import { parseScopes, registeredClient, type OAuthClient } from '../../domain/connections/oauth-client.js';
import { refuseMembers } from '../../domain/connections/refuse-members.js';
import { parseStaticCredential } from '../../domain/connections/static-credential.js';
import { SandgateError } from '../../domain/errors.js';
import { ConnectionRecords } from '../../core/connections/connection-records.js';
import type { Viewer } from '../../core/connections/viewer.js';
import { Database } from '../../core/record/database.js';
import { ConnectFlows } from '../../core/oauth/connect-flows.js';
import { validated, type Unvalidated } from '../http/validated.js';
import { CapabilitiesService } from '../capabilities/capabilities.service.js';
import type { CreateCapability } from '../capabilities/capabilities.dto.js';
import { resolveOwner, type ConnectionOwner } from '../connections/connection-owner.js';
import { toConnection, toSnapshotView } from '../connections/connections.dto.js';
import { McpConnections, type McpTarget, type ConnectionWithSnapshot } from '../connections/mcp-connections.js';
import { notFound } from '../../domain/resource-id.js';
import { ConnectConnector, type ConnectedConnector } from './connect.dto.js';
import { findConnector } from '../../core/catalog/connector-queries.js';

/**
 * Turns a catalog entry into what runs can use: a connection, or a bundle for a program of the sandbox
 * (docs/design/connections.md).
 */
@Injectable()
export class ConnectConnectorService {
  constructor(
    private readonly database: Database,
    private readonly records: ConnectionRecords,
    private readonly mcp: McpConnections,
    private readonly flows: ConnectFlows,
    private readonly capabilities: CapabilitiesService,
  ) {}

  /**
   * Permission is decided before the entry is looked up, and both before any secret is read. A failure leaves no connection
   * that could be used.
   *
   * @throws SandgateError `forbidden`, `not_found`, `invalid_request`, `unavailable` without a sealing key
   */
  async connect(viewer: Viewer, slug: string, body: Unvalidated<ConnectConnector>): Promise<ConnectedConnector> {
    const owner = resolveOwner(viewer, validated(ConnectConnector, body, 'owner').owner);
    const entry = await this.database.withTenant(viewer.organizationId, (tx) => findConnector(tx, slug, viewer.userId));
    if (entry === null) throw notFound('connector');
    return this.connectAs(viewer, owner, entry, body);
  }

  /** As {@link connect}, for an entry and an owner that the caller has settled. */
  async connectAs(
    viewer: Viewer,
    owner: ConnectionOwner,
    entry: ConnectorDefinition,
    body: Unvalidated<ConnectConnector>,
  ): Promise<ConnectedConnector> {
    if (!isConnectable(entry)) {
      throw new SandgateError(
        'invalid_request',
        `${entry.slug} is listed for reference only: it has no MCP server that could be connected`,
      );
    }
    if (entry.sandbox_launch !== null) return this.publish(viewer, owner, entry, body);
    refuseMembers(body, ['bundle_name'], `does not belong here: ${entry.slug} is a remote server, not a bundle`);
    const target = this.targetOf(viewer, owner, entry, body);
    if (entry.auth_mode === 'oauth') {
      refuseMembers(body, ['token'], `does not belong here: ${entry.slug} is authorized by OAuth`);
      return this.begin(viewer, target, clientOf(entry, body));
    }
    refuseMembers(
      body,
      ['client_id', 'client_secret', 'scopes'],
      `does not belong here: ${entry.slug} is not authorized by OAuth`,
    );
    if (entry.auth_mode === 'none') {
      refuseMembers(body, ['token'], `does not belong here: ${entry.slug} asks for no credential`);
      return viewOf(await this.mcp.connectOpen(target));
    }
    const { token } = validated(ConnectConnector, body, 'token');
    return viewOf(await this.mcp.connectStatic(target, parseStaticCredential({ ...entry.auth_hints, token })));
  }

  private targetOf(
    { organizationId }: Viewer,
    owner: ConnectionOwner,
    entry: ConnectorDefinition,
    body: Unvalidated<ConnectConnector>,
  ): McpTarget {
    return {
      organizationId,
      owner,
      baseUrl: this.mcp.admit(entry.url ?? ''),
      displayName: validated(ConnectConnector, body, 'display_name').display_name ?? entry.name,
      catalogSlug: entry.slug,
    };
  }

  /** A connection whose flow could not be started is useless: it is revoked, and the next attempt creates its own. */
  private async begin(viewer: Viewer, target: McpTarget, client: OAuthClient): Promise<ConnectedConnector> {
    const { organizationId, userId } = viewer;
    const pending = await this.mcp.begin(target, client);
    try {
      const goUrl = await this.flows.start({ organizationId, connectionId: pending.id, userId });
      const connection = (await this.records.read(organizationId, pending.id)) ?? pending;
      return { connection: toConnection(connection), go_url: goUrl };
    } catch (error) {
      await this.records.revoke(organizationId, pending.id);
      throw error;
    }
  }

  private async publish(
    { organizationId }: Viewer,
    owner: ConnectionOwner,
    entry: ConnectorDefinition,
    body: Unvalidated<ConnectConnector>,
  ): Promise<ConnectedConnector> {
    if (owner.owner_type === 'user') {
      throw new SandgateError(
        'invalid_request',
        `owner: ${entry.slug} becomes a bundle, which belongs to the organization`,
      );
    }
    refuseMembers(
      body,
      ['token', 'client_id', 'client_secret', 'scopes', 'display_name'],
      `does not belong here: ${entry.slug} runs inside the sandbox, without credentials`,
    );
    const server = { class: 'sandbox', name: entry.slug, ...entry.sandbox_launch };
    const name = body.bundle_name ?? entry.slug;
    const { servers, ...bundle } = await this.capabilities.create(organizationId, {
      name,
      description: entry.description,
      servers: [server],
    } as CreateCapability);
    return { bundle, servers };
  }
}

function viewOf({ connection, snapshot }: ConnectionWithSnapshot): ConnectedConnector {
  return { connection: toConnection(connection), snapshot: toSnapshotView(snapshot) };
}

/** The scopes of the entry, and after them those that are asked for besides. */
function clientOf(entry: ConnectorDefinition, body: Unvalidated<ConnectConnector>): OAuthClient {
  const { scopes } = validated(ConnectConnector, body, 'scopes');
  const client = registeredClient(validated(ConnectConnector, body, 'client_id', 'client_secret'));
  return { ...client, scopes: parseScopes([...entry.scopes, ...(scopes ?? [])]) };
}
