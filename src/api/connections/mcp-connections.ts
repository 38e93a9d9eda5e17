import { Injectable } from '@nestjs/common';
import { canonicalResource } from '../../domain/connections/canonical-resource.js';
import type {
  AuthKind,
  ConnectionMetadata,
  ConnectionRecord,
  OAuthState,
} from '../../domain/connections/connection.js';
import type { OAuthClient } from '../../domain/connections/oauth-client.js';
import { staticHeaders, type StaticCredential } from '../../domain/connections/static-credential.js';
import { SandgateError } from '../../domain/errors.js';
import { insertConnection, type NewConnection } from '../../core/connections/connection-rows.js';
import { ConnectionSecrets } from '../../core/connections/connection-secrets.js';
import { appendSnapshot, ToolSnapshots, type ToolSnapshot } from '../../core/connections/tool-snapshots.js';
import { Database } from '../../core/record/database.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { GuardedClient } from '../../platform/egress/guarded-client.js';
import { SnapshotError, type ServerSnapshot } from '../../platform/mcp/take-snapshot.js';
import type { ConnectionOwner } from './connection-owner.js';

/** A remote MCP server to connect. */
export interface McpTarget {
  organizationId: string;
  owner: ConnectionOwner;
  /** As it was typed, admitted. */
  baseUrl: string;
  displayName: string;
  /** Entry of the catalog that it came from. */
  catalogSlug?: string;
}

export interface ConnectionWithSnapshot {
  connection: ConnectionRecord;
  snapshot: ToolSnapshot;
}

/**
 * Makes connections to remote MCP servers (docs/design/connections.md). A credential is shown to its server before anything is stored, and
 * the row is written together with its first snapshot, so nothing of a refused credential is ever stored.
 */
@Injectable()
export class McpConnections {
  constructor(
    private readonly database: Database,
    private readonly secrets: ConnectionSecrets,
    private readonly snapshots: ToolSnapshots,
    private readonly egress: GuardedClient,
  ) {}

  /**
   * The address of a server, if it may be reached; names are not resolved here.
   *
   * @throws SandgateError `invalid_request`
   */
  admit(url: string): string {
    const refused = this.egress.admitUrl(url);
    if (refused !== null) throw new SandgateError('invalid_request', `base_url rejected: ${refused}`);
    return url;
  }

  /** @throws SandgateError `invalid_request` when the server refuses the credential or fails a guard, `unavailable` without a key */
  async connectStatic(target: McpTarget, credential: StaticCredential): Promise<ConnectionWithSnapshot> {
    const { organizationId } = target;
    const id = newRowId();
    const sealed = await this.secrets.seal({ organizationId, connectionId: id }, 'credential', credential.token);
    const snapshot = await this.takeSnapshot(target, staticHeaders(credential.metadata, credential.token));
    const connection = { ...draftOf(target, id, 'static', credential.metadata), credential: sealed };
    return this.store(organizationId, connection, snapshot);
  }

  /** Of a server that asks for no credential. @throws SandgateError `invalid_request` */
  async connectOpen(target: McpTarget): Promise<ConnectionWithSnapshot> {
    const snapshot = await this.takeSnapshot(target, {});
    return this.store(target.organizationId, draftOf(target, newRowId(), 'none', {}), snapshot);
  }

  /** A pending connection, which the callback of its authorization activates, with a first snapshot. */
  async begin(target: McpTarget, { scopes, clientId, clientSecret }: OAuthClient): Promise<ConnectionRecord> {
    const { organizationId, baseUrl, catalogSlug } = target;
    this.secrets.requireKey();
    const id = newRowId();
    const oauth: OAuthState = {
      resource: canonicalResource(baseUrl),
      scopes,
      pending_snapshot: { url: baseUrl },
      ...(clientId === null ? {} : { client_id: clientId, client_id_source: 'preregistered' }),
      ...(catalogSlug === undefined ? {} : { catalog_slug: catalogSlug }),
    };
    const sealed =
      clientSecret === null
        ? null
        : await this.secrets.seal({ organizationId, connectionId: id }, 'client_secret', clientSecret);
    const draft = draftOf(target, id, 'oauth', {});
    return this.database.withTenant(organizationId, (tx) =>
      insertConnection(tx, { ...draft, status: 'pending', oauth, clientSecret: sealed }),
    );
  }

  private async takeSnapshot({ baseUrl }: McpTarget, headers: Record<string, string>): Promise<ServerSnapshot> {
    try {
      return await this.snapshots.takeFrom(baseUrl, headers);
    } catch (cause) {
      if (cause instanceof SandgateError) throw new SandgateError(cause.code, refusalOf(cause), { cause });
      throw cause;
    }
  }

  private store(
    organizationId: string,
    connection: NewConnection,
    snapshot: ServerSnapshot,
  ): Promise<ConnectionWithSnapshot> {
    return this.database.withTenant(organizationId, async (tx) => {
      const stored = await insertConnection(tx, connection);
      const { id, authorization_generation: generation } = stored;
      return { connection: stored, snapshot: await appendSnapshot(tx, { id, generation }, snapshot) };
    });
  }
}

function draftOf(target: McpTarget, id: string, authKind: AuthKind, more: ConnectionMetadata): NewConnection {
  const { baseUrl, catalogSlug, displayName } = target;
  return {
    id,
    provider: 'mcp_http',
    external_account_id: new URL(baseUrl).host,
    display_name: displayName,
    status: 'active',
    auth_kind: authKind,
    ...target.owner,
    metadata: {
      base_url: baseUrl,
      endpoint_url: baseUrl,
      ...(catalogSlug === undefined ? {} : { catalog_slug: catalogSlug }),
      ...more,
    },
  };
}

/** A refusal by our own guard says nothing about the credential; any other failure may be the server refusing it. */
function refusalOf(error: SandgateError): string {
  const { cause, message } = error;
  if (cause instanceof SnapshotError && cause.reason === 'guard') return `${message} (connection rolled back)`;
  if (cause instanceof SnapshotError && cause.reason === 'credential') {
    return `the server rejected this credential (connection rolled back): ${message}`;
  }
  return `the server is not reachable as an MCP server, or rejected this credential (connection rolled back): ${message}`;
}
