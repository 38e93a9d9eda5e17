import { staticHeaders } from '../../domain/connections/static-credential.js';
import { requireActive } from '../../domain/connections/require-active.js';
import { SandgateError } from '../../domain/errors.js';
import type { AccessTokenSource } from './access-token-source.js';
import type { AuthorizationCheck, CallUse } from '../bindings/recheck-binding.js';
import type { ConnectionRef, ConnectionSecrets, LiveConnection } from './connection-secrets.js';

/** What one request upstream carries. It is used for that request and kept nowhere. */
export interface CredentialHeaders {
  headers: Record<string, string>;
  /** Of an OAuth connection: the token in the headers, to name when the upstream refuses it. */
  accessToken?: string;
  /** The authorization check of the call, made when the connection was read. */
  authorization: AuthorizationCheck | undefined;
}

/** A connection at the authorization generation that the caller expects, and the call that it is used for, if any. */
export type CredentialUse = ConnectionRef & { generation: number; use?: CallUse };

/** Makes the headers that prove a connection upstream; status and generation are read from the row each time (CP-290). */
export class ConnectionCredentials {
  constructor(
    private readonly secrets: ConnectionSecrets,
    private readonly tokens: AccessTokenSource,
  ) {}

  /**
   * @throws SandgateError `conflict` when the connection is not active or was reauthorized, `unavailable` without a sealing key,
   * and what {@link AccessTokenSource.get} throws
   */
  async headersFor(ref: CredentialUse): Promise<CredentialHeaders> {
    const { organizationId, connectionId, generation } = ref;
    const connection = await this.requireUsable(ref);
    const { authorization } = connection;
    if (connection.auth_kind === 'none') return { headers: {}, authorization };
    if (connection.auth_kind === 'static') {
      return { headers: staticHeaders(connection.metadata, await connection.openCredential()), authorization };
    }
    const accessToken = await this.tokens.get(organizationId, connectionId, generation);
    return { headers: { authorization: `Bearer ${accessToken}` }, accessToken, authorization };
  }

  private async requireUsable(ref: CredentialUse): Promise<LiveConnection> {
    const connection = await this.secrets.readLive(ref, ref.generation, ref.use);
    if (connection === null) throw new SandgateError('conflict', 'the connection is gone');
    requireActive(connection);
    if (connection.authorization_generation !== ref.generation) {
      throw new SandgateError('conflict', 'the connection was reauthorized — its earlier credential is stale');
    }
    return connection;
  }
}
