import { SandgateError } from '../errors.js';
import type { JsonValue } from '../json.js';

/** Scopes are space-delimited upstream, so none may hold a blank (RFC 6749 §3.3). */
export const SCOPE_PATTERN = '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,256}$';
const SCOPE = new RegExp(SCOPE_PATTERN);
export const MAX_SCOPES = 64;

/** What a caller says about the grant to ask for; a client id makes the identity a preregistered one (docs/design/connections.md). */
export interface OAuthClient {
  scopes: string[];
  clientId: string | null;
  clientSecret: string | null;
}

/** A client by its texts, of which blank ones count as left out. @throws SandgateError `invalid_request` for a secret without an id */
export function registeredClient(given: {
  client_id?: string | null;
  client_secret?: string | null;
}): Omit<OAuthClient, 'scopes'> {
  const [clientId, clientSecret] = [textOrNull(given.client_id), textOrNull(given.client_secret)];
  if (clientSecret !== null && clientId === null) {
    throw new SandgateError('invalid_request', 'client_secret: needs the client_id that it belongs to');
  }
  return { clientId, clientSecret };
}

function textOrNull(given: string | null | undefined): string | null {
  return given?.trim() || null;
}

/** Each scope once. @throws SandgateError `invalid_request` */
export function parseScopes(scopes: readonly JsonValue[]): string[] {
  if (scopes.length > MAX_SCOPES) {
    throw new SandgateError('invalid_request', `scopes: must be an array of at most ${MAX_SCOPES} strings`);
  }
  const texts = scopes.map((scope, index) => {
    if (typeof scope === 'string' && SCOPE.test(scope)) return scope;
    throw new SandgateError('invalid_request', `scopes[${index}]: must be a scope token without blanks or quotes`);
  });
  return [...new Set(texts)];
}
