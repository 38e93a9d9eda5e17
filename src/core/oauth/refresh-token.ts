import { requireActive } from '../../domain/connections/require-active.js';
import { SandgateError } from '../../domain/errors.js';
import { markReconnectNeeded } from '../connections/connection-rows.js';
import { ConnectionEntity } from '../connections/connection.entity.js';
import { placeOfSecret } from '../connections/connection-secrets.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { changeRow } from '../../platform/postgres/write-rows.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import { forgetRefusedClient } from './client-registrations.js';
import { clientSecretOf } from './client-secrets.js';
import { lockConnection, readOAuthConnection, type OAuthConnectionRow } from './oauth-connections.js';
import { keepSharedToken, readSharedToken, type MintedToken } from './shared-token.js';
import { TokenRequestFailed } from './token-request-failed.js';
import type { TokenAnswer, TokenClient, TokenRequests } from './token-requests.js';

/** `race`: the connection changed meanwhile, or another process had refreshed already. */
export type RefreshEvent = 'attempt' | 'success' | 'invalid_grant' | 'error' | 'race';

interface RefreshParts {
  database: Database;
  sealer: Sealer;
  requests: TokenRequests;
  onRefresh?: (event: RefreshEvent) => void;
}

interface Need {
  organizationId: string;
  connectionId: string;
  generation: number;
  isUsable(token: MintedToken): boolean;
}

type Outcome = { minted: MintedToken } | { refused: SandgateError };

/** Codes after which no further attempt can succeed: a person has to connect anew. */
const FINAL_CODES: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client']);

/**
 * Asks the authorization server for a new access token, holding the connection's lock across the call: the one place where a
 * transaction stays open around a request, because two refreshes at once would each spend the same refresh token, which a rotating
 * server answers by revoking both (docs/design/oauth.md). Whoever comes second finds the token that the first one left.
 *
 * @throws SandgateError see {@link AccessTokens.get}
 */
export async function refreshUnderLock(parts: RefreshParts, need: Need): Promise<MintedToken> {
  const outcome = await parts.database.withTenant(need.organizationId, async (tx): Promise<Outcome> => {
    await lockConnection(tx, need.connectionId);
    const connection = requireCurrent(await readOAuthConnection(tx, need.connectionId), need.generation);
    const shared = await readSharedToken(tx, parts.sealer, need);
    if (shared !== null && need.isUsable(shared)) {
      parts.onRefresh?.('race');
      return { minted: shared };
    }
    return refresh(parts, tx, connection);
  });
  // Thrown after the commit, so that the note about the refusal stays on the connection.
  if ('refused' in outcome) throw outcome.refused;
  return outcome.minted;
}

function requireCurrent(connection: OAuthConnectionRow | null, generation: number): OAuthConnectionRow {
  if (connection === null) throw new SandgateError('conflict', 'the connection no longer exists');
  requireActive(connection);
  if (connection.generation !== generation) {
    throw new SandgateError('conflict', 'the connection was reauthorized during refresh');
  }
  return connection;
}

async function refresh(parts: RefreshParts, tx: TenantTransaction, connection: OAuthConnectionRow): Promise<Outcome> {
  const { client, refreshToken } = await openCredential(parts, tx, connection);
  parts.onRefresh?.('attempt');
  let answer: TokenAnswer;
  try {
    answer = await parts.requests.refresh(client, refreshToken);
  } catch (cause) {
    if (!(cause instanceof TokenRequestFailed)) throw cause;
    return { refused: await refuse(parts, tx, connection, cause) };
  }
  const minted = { token: answer.accessToken, expiresAtMs: Date.now() + answer.expiresInSecs * 1000 };
  await keepRotated(parts, tx, connection, answer.refreshToken ?? refreshToken, refreshToken);
  await keepSharedToken(tx, parts.sealer, connection, answer);
  parts.onRefresh?.('success');
  return { minted };
}

async function openCredential(
  { sealer }: RefreshParts,
  tx: TenantTransaction,
  connection: OAuthConnectionRow,
): Promise<{ client: TokenClient; refreshToken: string }> {
  const { oauth, credential } = connection;
  const { issuer, token_endpoint: tokenEndpoint, client_id: clientId } = oauth;
  if (credential === null || issuer === undefined || tokenEndpoint === undefined || clientId === undefined) {
    throw new SandgateError('conflict', 'the connection was never authorized — connect it first');
  }
  const place = placeOfSecret({ organizationId: tx.organizationId, connectionId: connection.id }, 'credential');
  const opened = await sealer.open(place, credential.sealed, credential.keyVersion);
  const secret = await clientSecretOf(tx, sealer, {
    connectionId: connection.id,
    clientSecret: connection.clientSecret,
    registrationId: oauth.registration_id ?? null,
    authMethod:
      oauth['token_endpoint_auth_method'] === 'client_secret_post' ? 'client_secret_post' : 'client_secret_basic',
  });
  return {
    refreshToken: opened.toString('utf8'),
    client: { issuer, tokenEndpoint, clientId, resource: oauth.resource, ...secret },
  };
}

/**
 * Writes a rotated refresh token over the old one. Where it was not rotated the row is touched as well: either way the transaction
 * proves that status and generation are what they were.
 */
async function keepRotated(
  { sealer }: RefreshParts,
  tx: TenantTransaction,
  connection: OAuthConnectionRow,
  refreshToken: string,
  old: string,
): Promise<void> {
  const place = placeOfSecret({ organizationId: tx.organizationId, connectionId: connection.id }, 'credential');
  const sealed = refreshToken === old ? null : await sealer.seal(place, refreshToken);
  const kept = await changeRow(
    tx,
    ConnectionEntity,
    { id: connection.id, status: 'active', authorization_generation: connection.generation },
    sealed === null
      ? { credential_sealed: () => 'credential_sealed' }
      : { credential_sealed: sealed.bytes, credential_key_version: sealed.keyVersion },
  );
  if (!kept) throw new SandgateError('conflict', 'the connection was reauthorized during refresh');
}

async function refuse(
  { onRefresh }: RefreshParts,
  tx: TenantTransaction,
  connection: OAuthConnectionRow,
  failure: TokenRequestFailed,
): Promise<SandgateError> {
  if (!FINAL_CODES.has(failure.code)) {
    onRefresh?.('error');
    return new SandgateError('upstream_failed', `the access token could not be refreshed: ${failure.message}`, {
      cause: failure,
    });
  }
  onRefresh?.('invalid_grant');
  const note = `${failure.code} during token refresh — re-authorize this connection`;
  await markReconnectNeeded(tx, connection, note);
  if (failure.code === 'invalid_client') {
    // A flow with this client would never return: the server refuses an unknown client on a page of its own.
    const { client_id_source: source, registration_id: registrationId, client_id: clientId } = connection.oauth;
    await forgetRefusedClient(tx, { source, registrationId, clientId });
  }
  return new SandgateError('conflict', `${note}: reconnect it`, { cause: failure });
}
