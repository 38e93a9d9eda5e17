import type { ClientCredentials } from '../../core/access/exchange-credentials.js';
import { OauthError } from '../../core/access/oauth-error.js';

const BASIC = /^Basic +([A-Za-z0-9+/=_-]+) *$/i;

/**
 * The credentials of a client, from the form or from HTTP Basic, where both parts are form-encoded (RFC 6749, 2.3.1).
 *
 * @throws OauthError `invalid_request` for credentials in both places, `invalid_client` for none
 */
export function readClient(authorization: string | undefined, fields: URLSearchParams): ClientCredentials {
  const basic = authorization === undefined ? null : readBasic(authorization);
  const clientId = fields.get('client_id');
  const clientSecret = fields.get('client_secret');
  if (basic === null) {
    if (clientId !== null && clientSecret !== null) return { clientId, clientSecret };
    throw new OauthError('invalid_client', 'client_id and client_secret are needed, in the form or by HTTP Basic');
  }
  if (clientSecret !== null)
    throw new OauthError('invalid_request', 'send the secret in the form or by HTTP Basic, not both');
  if (clientId !== null && clientId !== basic.clientId) {
    throw new OauthError('invalid_request', 'client_id: is not the one of HTTP Basic');
  }
  return basic;
}

function readBasic(authorization: string): ClientCredentials {
  const encoded = BASIC.exec(authorization)?.[1];
  const pair = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 1)
    throw new OauthError('invalid_client', 'Authorization: is not HTTP Basic with a client id and a secret');
  return { clientId: formDecoded(pair.slice(0, colon)), clientSecret: formDecoded(pair.slice(colon + 1)) };
}

/** Clients that do not encode send the text itself, which may be no encoding at all. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
