import { createHash, randomBytes } from 'node:crypto';
import { calculatePKCECodeChallenge } from 'oauth4webapi';
import type { OAuthState } from '../../domain/connections/connection.js';
import { SandgateError } from '../../domain/errors.js';
import { requireSealing } from '../connections/connection-secrets.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import { resolveIdentity, type ClientIdentity } from './client-identity.js';
import { deploymentOrganization } from './client-registrations.js';
import { discover, type Discovered } from './discovery.js';
import { FLOW_TTL_SECS, insertFlow, type OAuthFlow } from './flow-records.js';
import { sealTicket } from './go-token.js';
import { lockConnection, readOAuthConnection, type OAuthConnectionRow } from './oauth-connections.js';
import type { OAuthHttp } from './oauth-http.js';
import type { PublicAddress } from './public-address.js';

export interface ConnectParts {
  database: Database;
  sealer: Sealer;
  http: OAuthHttp;
  address: PublicAddress;
  /** People sign in: who started a flow has to be who goes on with it. */
  requireSession: boolean;
}

export interface StartRequest {
  organizationId: string;
  connectionId: string;
  /** Null for the operator. */
  userId: string | null;
}

const OFFLINE = 'offline_access';

/** The beginning of connecting: discovery, identity, and one frozen flow (docs/design/oauth.md). */
export class ConnectFlows {
  constructor(private readonly parts: ConnectParts) {}

  /**
   * Starts a one-time flow for an OAuth connection that is not revoked: the first connect of a pending one, a reconnect of any
   * other. The caller has checked that the viewer may change the connection.
   *
   * @returns the address that a person opens in a browser, good for ten minutes
   * @throws SandgateError `invalid_request` when the connection is not of OAuth or discovery failed, `not_found`, `conflict` when
   * it is revoked or was authorized by somebody else meanwhile, `unavailable` without a sealing key
   */
  async start(request: StartRequest): Promise<string> {
    const { database, sealer, http } = this.parts;
    requireSealing(sealer);
    const before = requireStartable(await this.read(request));
    const found = await discover(http, before.baseUrl);
    const identity = await resolveIdentity(
      this.parts,
      request.organizationId,
      { oauth: before.oauth, hasClientSecret: before.clientSecret !== null },
      found.server,
    );
    const secrets = { state: secret(), browser: secret(), verifier: secret() };
    const flow = freeze(before, found, identity, { userId: request.userId, ...(await challengeOf(secrets.verifier)) });
    const place = {
      organizationId: request.organizationId,
      column: 'connector_oauth_flows.pkce_verifier',
      row: flow.id,
    };
    const verifier = await sealer.seal(place, secrets.verifier);
    const deployment = await database.withTenant(request.organizationId, async (tx) => {
      await lockConnection(tx, before.id);
      await requireUnmoved(tx, before);
      await insertFlow(tx, { ...flow, stateHash: hash(secrets.state), browserHash: hash(secrets.browser), verifier });
      await showIdentity(tx, before, flow);
      return deploymentOrganization(tx);
    });
    const token = await sealTicket(sealer, deployment, {
      organizationId: request.organizationId,
      flowId: flow.id,
      state: secrets.state,
      browser: secrets.browser,
      expiresAtMs: Date.now() + FLOW_TTL_SECS * 1000,
    });
    return `${this.parts.address.origin}/v1/oauth/go?f=${token}`;
  }

  private read({ organizationId, connectionId }: StartRequest): Promise<OAuthConnectionRow | null> {
    return this.parts.database.withTenant(organizationId, (tx) => readOAuthConnection(tx, connectionId));
  }
}

/** SHA-256 in hex: the form in which states and cookies are stored. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** 43 characters of 32 random bytes. */
function secret(): string {
  return randomBytes(32).toString('base64url');
}

async function challengeOf(verifier: string): Promise<{ challenge: string }> {
  return { challenge: await calculatePKCECodeChallenge(verifier) };
}

function requireStartable(connection: OAuthConnectionRow | null): OAuthConnectionRow {
  if (connection === null) throw new SandgateError('invalid_request', 'this connection is not authorized by OAuth');
  if (connection.status === 'revoked') {
    throw new SandgateError('conflict', 'this connection is revoked; create a new one');
  }
  return connection;
}

/** Nobody authorized or revoked the connection while its server was being discovered. */
async function requireUnmoved(tx: TenantTransaction, before: OAuthConnectionRow): Promise<void> {
  const now = await readOAuthConnection(tx, before.id);
  const unmoved = now?.generation === before.generation && now.oauth.activated_at === before.oauth.activated_at;
  if (!unmoved) {
    throw new SandgateError('conflict', 'this connect flow was superseded by a newer authorization; start it again');
  }
  requireStartable(now);
}

function freeze(
  connection: OAuthConnectionRow,
  { resource, server }: Discovered,
  identity: ClientIdentity,
  more: { userId: string | null; challenge: string },
): OAuthFlow {
  const { scopes } = connection.oauth;
  const offline = server.scopesSupported.includes(OFFLINE) && !scopes.includes(OFFLINE) ? [OFFLINE] : [];
  return {
    id: newRowId(),
    connection_id: connection.id,
    initiated_by_user_id: more.userId,
    issuer: server.issuer,
    iss_required: server.namesItself,
    authorization_endpoint: server.authorizationEndpoint,
    token_endpoint: server.tokenEndpoint,
    metadata_digest: server.metadataDigest,
    resource,
    redirect_uri: identity.redirectUri,
    scopes: [...scopes, ...offline],
    challenge: more.challenge,
    client_registration_id: identity.registrationId,
    client_id: identity.clientId,
    client_id_source: identity.source,
    token_endpoint_auth_method: identity.authMethod,
    expected_generation: connection.generation,
  };
}

/** What a flow found, in the words of a connection's `oauth` (docs/design/connections.md). */
export function stateOf(flow: OAuthFlow): Partial<OAuthState> {
  const { client_registration_id: registrationId } = flow;
  return {
    resource: flow.resource,
    issuer: flow.issuer,
    authorization_endpoint: flow.authorization_endpoint,
    token_endpoint: flow.token_endpoint,
    client_id: flow.client_id,
    client_id_source: flow.client_id_source,
    redirect_uri: flow.redirect_uri,
    token_endpoint_auth_method: flow.token_endpoint_auth_method,
    ...(registrationId === null ? {} : { registration_id: registrationId }),
  };
}

/**
 * Shows, on a connection without a credential, as whom it will be authorized. One that has a credential keeps what that credential
 * was given for until a new one is there: otherwise its refresh token could be sent to a server that a changed discovery names.
 */
async function showIdentity(tx: TenantTransaction, connection: OAuthConnectionRow, flow: OAuthFlow): Promise<void> {
  if (connection.credential !== null) return;
  await tx.query('select svc_show_oauth_identity($1, $2::jsonb)', [connection.id, JSON.stringify(stateOf(flow))]);
}
