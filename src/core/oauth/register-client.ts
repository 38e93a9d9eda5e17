import { SandgateError } from '../../domain/errors.js';
import { parseJsonObject } from '../../domain/json.js';
import { EgressError } from '../../platform/egress/egress-error.js';
import type { TokenAuthMethod } from './client-authentication.js';
import { CLIENT_NAME } from './client-document.js';
import type { NewRegistration } from './client-registrations.js';
import type { OAuthAnswer, OAuthHttp } from './oauth-http.js';
import type { AuthorizationServer } from './server-metadata.js';
import { oauthCode } from './token-request-failed.js';

const METHODS: readonly TokenAuthMethod[] = ['none', 'client_secret_basic', 'client_secret_post'];

/**
 * Registers this deployment with an authorization server (docs/design/oauth.md, RFC 7591).
 *
 * @throws SandgateError `invalid_request` when the server does not register us
 */
export async function registerClient(
  http: OAuthHttp,
  server: AuthorizationServer & { registrationEndpoint: string },
  redirectUri: string,
): Promise<NewRegistration> {
  const asked = askedMethod(server);
  const answer = await send(http, server.registrationEndpoint, {
    client_name: CLIENT_NAME,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: asked,
  });
  const body = answer.status === 200 || answer.status === 201 ? parseJsonObject(answer.text) : null;
  if (body === null) throw refused(`it answered ${answer.status} (${oauthCode(answer.text)})`);
  const clientId = body['client_id'];
  if (typeof clientId !== 'string' || clientId === '') throw refused('its answer holds no client_id');
  const secret = textOf(body['client_secret']);
  const method = body['token_endpoint_auth_method'] ?? (asked === 'none' && secret !== null ? METHODS[1] : asked);
  const authMethod = METHODS.find((known) => known === method);
  if (authMethod === undefined) throw refused('it wants a way of client authentication that is not supported');
  const expiry = body['client_secret_expires_at'];
  return {
    issuer: server.issuer,
    redirectUri,
    source: 'dcr',
    clientId,
    clientSecret: secret,
    clientSecretExpiresAt: typeof expiry === 'number' && expiry > 0 ? expiry : null,
    registrationEndpoint: server.registrationEndpoint,
    registrationAccessToken: textOf(body['registration_access_token']),
    authMethod: secret === null ? 'none' : authMethod === 'none' ? 'client_secret_basic' : authMethod,
  };
}

/** A public client, which keeps no secret, unless the server says that it knows only clients that do. */
function askedMethod({ tokenAuthMethods }: AuthorizationServer): TokenAuthMethod {
  if (tokenAuthMethods === null || tokenAuthMethods.includes('none')) return 'none';
  return METHODS.find((method) => tokenAuthMethods.includes(method)) ?? 'none';
}

async function send(http: OAuthHttp, url: string, body: object): Promise<OAuthAnswer> {
  try {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    return await http.send({ method: 'POST', url, headers, body: JSON.stringify(body), redirects: 'follow' });
  } catch (cause) {
    if (cause instanceof EgressError) throw refused(cause.message, cause);
    throw cause;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function refused(why: string, cause?: unknown): SandgateError {
  const text = `the authorization server did not register this deployment: ${why}; register a client there by hand and give its client_id`;
  return new SandgateError('invalid_request', text, { cause });
}
