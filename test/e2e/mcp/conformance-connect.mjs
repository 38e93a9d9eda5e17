/**
 * The OAuth connect of a connection, as the conformance scenarios want it: discovery, registration and token requests are the
 * product's; following the authorization page to the code is what the user's browser does.
 */
import { createHash, randomBytes } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { discover } from '../../../dist/src/core/oauth/discovery.js';
import { OAuthHttp } from '../../../dist/src/core/oauth/oauth-http.js';
import { registerClient } from '../../../dist/src/core/oauth/register-client.js';
import { TokenRequests } from '../../../dist/src/core/oauth/token-requests.js';

/** Where the scenarios look for the metadata document of a client. */
const CLIENT_DOCUMENT = 'https://conformance-test.local/client-metadata.json';
const REDIRECT_URI = 'http://127.0.0.1:8787/v1/oauth/callback';

/** The headers of an authorized connection. */
export async function connect(client, url, context) {
  const http = new OAuthHttp(client);
  const { resource, server } = await discover(http, url);
  const identity = await identify(http, server, context);
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(32).toString('base64url');
  const page = new URL(server.authorizationEndpoint);
  const asked = {
    response_type: 'code',
    client_id: identity.clientId,
    redirect_uri: REDIRECT_URI,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource,
    // What the user chose, here nothing; and what a refresh token takes, where the server knows it (docs/design/oauth.md).
    ...(server.scopesSupported.includes('offline_access') ? { scope: 'offline_access' } : {}),
  };
  for (const [name, value] of Object.entries(asked)) page.searchParams.set(name, value);
  const answer = await fetch(page, { redirect: 'manual' });
  const callback = oauth.validateAuthResponse(
    { issuer: server.issuer, authorization_response_iss_parameter_supported: server.namesItself },
    { client_id: identity.clientId },
    new URL(answer.headers.get('location')),
    state,
  );
  const { accessToken } = await new TokenRequests(http).exchange(
    { issuer: server.issuer, tokenEndpoint: server.tokenEndpoint, resource, ...identity },
    { callback, redirectUri: REDIRECT_URI, verifier },
  );
  return { authorization: `Bearer ${accessToken}` };
}

async function identify(http, server, { client_id: clientId, client_secret: clientSecret = null }) {
  if (clientId !== undefined) {
    return { clientId, clientSecret, authMethod: clientSecret === null ? 'none' : 'client_secret_basic' };
  }
  if (server.readsClientDocuments) return { clientId: CLIENT_DOCUMENT, clientSecret: null, authMethod: 'none' };
  return registerClient(http, server, REDIRECT_URI);
}
