import { Injectable } from '@nestjs/common';
import { PROVIDERS, type ConnectionProvider } from '../../domain/connections/connection.js';
import { parseDisplayName } from '../../domain/connections/label.js';
import { parseOAuthClient } from '../../domain/connections/oauth-client.js';
import { refuseMembers } from '../../domain/connections/refuse-members.js';
import { parseStaticCredential } from '../../domain/connections/static-credential.js';
import { SandgateError } from '../../domain/errors.js';
import { ConnectionSecrets } from '../../core/connections/connection-secrets.js';
import type { Viewer } from '../../core/connections/viewer.js';
import { CodehostConnections, MEMBERS_OF_APPS } from './codehost-connections.js';
import { resolveOwner, type ConnectionOwner } from './connection-owner.js';
import { toConnection, toSnapshotView, type CreatedConnection } from './connections.dto.js';
import { FORMER_PROVIDERS, type CreateConnection } from './create-connection.dto.js';
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
  async create(viewer: Viewer, body: CreateConnection): Promise<CreatedConnection> {
    const owner = resolveOwner(viewer, body.owner);
    const provider = parseProvider(body.provider);
    this.secrets.requireKey();
    switch (provider) {
      case 'mcp_http':
        return this.createMcp(viewer.organizationId, owner, body);
      case 'codehost':
        return toConnection(await this.codehost.connectToken(viewer.organizationId, owner, body));
      case 'codehost_app': {
        const connection = await this.codehost.connectInstallation(viewer.organizationId, owner, body);
        return { ...toConnection(connection), ingress_path: `/v1/ingress/codehost/${connection.id}` };
      }
    }
  }

  private async createMcp(
    organizationId: string,
    owner: ConnectionOwner,
    body: CreateConnection,
  ): Promise<CreatedConnection> {
    refuseMembers(body, MEMBERS_OF_APPS, 'is of codehost_app connections; this one is mcp_http');
    const authKind = parseAuthKind(body.auth_kind);
    const baseUrl = this.mcp.admit(body.base_url);
    const displayName = parseDisplayName(body.display_name, new URL(baseUrl).host);
    const target: McpTarget = { organizationId, owner, baseUrl, displayName };
    if (authKind === 'oauth') {
      refuseMembers(
        body,
        ['token', 'header_name', 'scheme'],
        'is of static connections; this one is authorized by OAuth',
      );
      const connection = toConnection(await this.mcp.begin(target, parseOAuthClient(body)));
      return { ...connection, next: `/v1/connections/${connection.id}/oauth/start` };
    }
    refuseMembers(body, ['client_id', 'client_secret', 'scopes'], 'is of auth_kind oauth; this connection is static');
    const { connection, snapshot } = await this.mcp.connectStatic(target, parseStaticCredential(body));
    return { ...toConnection(connection), snapshot: toSnapshotView(snapshot) };
  }
}

function parseProvider(given: unknown): ConnectionProvider {
  const provider = FORMER_PROVIDERS.get(given) ?? PROVIDERS.find((one) => one === given);
  if (provider !== undefined) return provider;
  throw new SandgateError('invalid_request', `provider: must be one of ${PROVIDERS.join(', ')}`);
}

function parseAuthKind(kind: unknown): 'static' | 'oauth' {
  const known = (['static', 'oauth'] as const).find((one) => one === (kind ?? 'static'));
  if (known === undefined) throw new SandgateError('invalid_request', 'auth_kind: must be static or oauth');
  return known;
}
