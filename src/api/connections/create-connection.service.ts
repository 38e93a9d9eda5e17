import { Injectable } from '@nestjs/common';
import { ingressPath } from '../../domain/connections/ingress-path.js';
import { parseScopes, registeredClient } from '../../domain/connections/oauth-client.js';
import { refuseMembers } from '../../domain/connections/refuse-members.js';
import { parseStaticCredential } from '../../domain/connections/static-credential.js';
import { ConnectionSecrets } from '../../core/connections/connection-secrets.js';
import type { Viewer } from '../../core/connections/viewer.js';
import { validated, type Unvalidated } from '../http/validated.js';
import { CodehostConnections, MEMBERS_OF_APPS } from './codehost-connections.js';
import { resolveOwner, type ConnectionOwner } from './connection-owner.js';
import { toConnection, toSnapshotView, type Connection, type CreatedConnection } from './connections.dto.js';
import { CreateConnection } from './create-connection.dto.js';
import { McpConnections, type McpTarget } from './mcp-connections.js';

/** Creates connections (docs/design/connections.md): permission, then whether secrets can be sealed at all, then what was sent. */
@Injectable()
export class CreateConnectionService {
  constructor(
    private readonly secrets: ConnectionSecrets,
    private readonly mcp: McpConnections,
    private readonly codehost: CodehostConnections,
  ) {}

  /** @throws SandgateError `forbidden`, `unavailable` without a sealing key, `invalid_request`, `conflict`, `upstream_failed` */
  async create(viewer: Viewer, body: Unvalidated<CreateConnection>): Promise<CreatedConnection> {
    const owner = resolveOwner(viewer, validated(CreateConnection, body, 'owner').owner);
    const { provider } = validated(CreateConnection, body, 'provider');
    this.secrets.requireKey();
    switch (provider) {
      case 'mcp_http':
        return this.createMcp(viewer.organizationId, owner, body);
      case 'codehost': {
        const connection = toConnection(await this.codehost.connectToken(viewer.organizationId, owner, body));
        return body.webhook_secret == null ? connection : withIngress(connection);
      }
      case 'codehost_app':
        return withIngress(toConnection(await this.codehost.connectInstallation(viewer.organizationId, owner, body)));
    }
  }

  private async createMcp(
    organizationId: string,
    owner: ConnectionOwner,
    body: Unvalidated<CreateConnection>,
  ): Promise<CreatedConnection> {
    refuseMembers(body, MEMBERS_OF_APPS, 'is of codehost_app connections; this one is mcp_http');
    const { auth_kind, base_url } = validated(CreateConnection, body, 'auth_kind', 'base_url');
    const baseUrl = this.mcp.admit(base_url);
    const { display_name } = validated(CreateConnection, body, 'display_name');
    const target: McpTarget = { organizationId, owner, baseUrl, displayName: display_name ?? new URL(baseUrl).host };
    if (auth_kind === 'oauth') {
      refuseMembers(
        body,
        ['token', 'header_name', 'scheme'],
        'is of static connections; this one is authorized by OAuth',
      );
      const client = registeredClient(validated(CreateConnection, body, 'client_id', 'client_secret'));
      const scopes = parseScopes(validated(CreateConnection, body, 'scopes').scopes ?? []);
      const connection = toConnection(await this.mcp.begin(target, { ...client, scopes }));
      return { ...connection, next: `/v1/connections/${connection.id}/oauth/start` };
    }
    refuseMembers(body, ['client_id', 'client_secret', 'scopes'], 'is of auth_kind oauth; this connection is static');
    const sent = validated(CreateConnection, body, 'token', 'scheme', 'header_name');
    const { connection, snapshot } = await this.mcp.connectStatic(target, parseStaticCredential(sent));
    return { ...toConnection(connection), snapshot: toSnapshotView(snapshot) };
  }
}

/** With the path that is entered as webhook address at the code host. */
function withIngress(connection: Connection): CreatedConnection {
  return { ...connection, ingress_path: ingressPath({ id: connection.id, registration_id: null }) };
}
