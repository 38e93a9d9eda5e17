import type { OAuthState } from '../../domain/connections/connection.js';
import { SandgateError } from '../../domain/errors.js';
import type { Database, TenantTransaction } from '../record/database.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import type { ClientIdSource, TokenAuthMethod } from './client-authentication.js';
import {
  dropRegistration,
  findRegistration,
  keepRegistration,
  lockRegistration,
  touchRegistration,
  type ClientRegistration,
} from './client-registrations.js';
import type { OAuthHttp } from './oauth-http.js';
import type { PublicAddress } from './public-address.js';
import { registerClient } from './register-client.js';
import type { AuthorizationServer } from './server-metadata.js';

/** The client identity under which a connection asks for authorization. */
export interface ClientIdentity {
  clientId: string;
  source: ClientIdSource;
  redirectUri: string;
  /** The shared registration; null for an identity that is stored with the connection. */
  registrationId: string | null;
  authMethod: TokenAuthMethod;
}

interface IdentityParts {
  database: Database;
  sealer: Sealer;
  http: OAuthHttp;
  address: PublicAddress;
}

/**
 * The identity to use with this server (docs/design/oauth.md): what a person registered by hand, else what the deployment is known
 * as there, else our client metadata document, else a new registration.
 *
 * @throws SandgateError `invalid_request` when none of them is possible
 */
export async function resolveIdentity(
  parts: IdentityParts,
  organizationId: string,
  connection: { oauth: OAuthState; hasClientSecret: boolean },
  server: AuthorizationServer,
): Promise<ClientIdentity> {
  const redirectUri = parts.address.callbackFor(server);
  const { client_id: clientId, client_id_source: source } = connection.oauth;
  if (source === 'preregistered' && clientId !== undefined) {
    const authMethod = connection.hasClientSecret ? secretMethod(server) : 'none';
    return { clientId, source, redirectUri, registrationId: null, authMethod };
  }
  const kept = await parts.database.withTenant(organizationId, (tx) => adopt(tx, parts, server, redirectUri));
  if (kept !== null) return identityOf(kept, redirectUri);
  return identityOf(
    await parts.database.withTenant(organizationId, (tx) => make(tx, parts, server, redirectUri)),
    redirectUri,
  );
}

/** The existing registration if it is still good; a stale one is deleted. */
async function adopt(
  tx: TenantTransaction,
  { address }: IdentityParts,
  server: AuthorizationServer,
  redirectUri: string,
): Promise<ClientRegistration | null> {
  const found = await findRegistration(tx, server.issuer, redirectUri);
  if (found === null) return null;
  const isStale = found.source === 'cimd' ? !presentsDocument(address, server, found.client_id) : found.expired;
  if (isStale) await dropRegistration(tx, found.id, found.client_id);
  else await touchRegistration(tx, found.id);
  return isStale ? null : found;
}

/**
 * Makes a registration while holding the lock of issuer and redirect address, also across the request: an issuer is never asked
 * twice for the same client. A process that waited adopts the first one's registration.
 */
async function make(
  tx: TenantTransaction,
  parts: IdentityParts,
  server: AuthorizationServer,
  redirectUri: string,
): Promise<ClientRegistration> {
  await lockRegistration(tx, server.issuer, redirectUri);
  const kept = await adopt(tx, parts, server, redirectUri);
  if (kept !== null) return kept;
  const { address, http, sealer } = parts;
  if (presentsDocument(address, server, address.clientDocumentUrl)) {
    return keepRegistration(tx, sealer, documentIdentity(address, server, redirectUri));
  }
  const { registrationEndpoint } = server;
  if (registrationEndpoint === null) throw needsClientId(redirectUri);
  return keepRegistration(tx, sealer, await registerClient(http, { ...server, registrationEndpoint }, redirectUri));
}

/**
 * The document is the same for every server, so it proves nothing about which of them an answer came from: it is presented only to
 * those that say so themselves in each answer (RFC 9207).
 */
function presentsDocument(address: PublicAddress, server: AuthorizationServer, clientId: string): boolean {
  if (!address.publishesClientDocument || clientId !== address.clientDocumentUrl) return false;
  return server.readsClientDocuments && server.namesItself;
}

function documentIdentity(
  address: PublicAddress,
  server: AuthorizationServer,
  redirectUri: string,
): Parameters<typeof keepRegistration>[2] {
  return {
    issuer: server.issuer,
    redirectUri,
    source: 'cimd',
    clientId: address.clientDocumentUrl,
    clientSecret: null,
    clientSecretExpiresAt: null,
    registrationEndpoint: null,
    registrationAccessToken: null,
    authMethod: 'none',
  };
}

function identityOf(registration: ClientRegistration, redirectUri: string): ClientIdentity {
  return {
    clientId: registration.client_id,
    source: registration.source,
    redirectUri,
    registrationId: registration.id,
    authMethod: registration.token_endpoint_auth_method,
  };
}

/** HTTP Basic, which every server has to take (RFC 6749 §2.3.1), unless it says that it takes the secret in the body only. */
function secretMethod({ tokenAuthMethods }: AuthorizationServer): TokenAuthMethod {
  const postOnly =
    tokenAuthMethods?.includes('client_secret_post') === true && !tokenAuthMethods.includes('client_secret_basic');
  return postOnly ? 'client_secret_post' : 'client_secret_basic';
}

function needsClientId(redirectUri: string): SandgateError {
  return new SandgateError(
    'invalid_request',
    `client_id: this authorization server does not register clients by itself; register one there with the redirect address ${redirectUri} and create the connection with its client_id`,
  );
}
