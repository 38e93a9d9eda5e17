import { SandgateError } from '../errors.js';
import { readOptionalText } from './optional-text.js';

/** Scopes are space-delimited upstream, so none may hold a blank (RFC 6749 §3.3). */
export const SCOPE_PATTERN = '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,256}$';
const SCOPE = new RegExp(SCOPE_PATTERN);
export const MAX_SCOPES = 64;

export interface OAuthClientInput {
  scopes?: unknown;
  client_id?: unknown;
  client_secret?: unknown;
}

/** What a caller says about the grant to ask for; a client id makes the identity a preregistered one (docs/design/connections.md). */
export interface OAuthClient {
  scopes: string[];
  clientId: string | null;
  clientSecret: string | null;
}

/** @throws SandgateError `invalid_request` naming the member; a secret is in no message */
export function parseOAuthClient(input: OAuthClientInput): OAuthClient {
  const clientId = readOptionalText(input.client_id, 'client_id');
  const clientSecret = readOptionalText(input.client_secret, 'client_secret');
  if (clientSecret !== null && clientId === null) {
    throw new SandgateError('invalid_request', 'client_secret: needs the client_id that it belongs to');
  }
  return { scopes: parseScopes(input.scopes), clientId, clientSecret };
}

/** @throws SandgateError `invalid_request` */
export function parseScopes(scopes: unknown): string[] {
  if (scopes === undefined || scopes === null) return [];
  if (!Array.isArray(scopes) || scopes.length > MAX_SCOPES) {
    throw new SandgateError('invalid_request', `scopes: must be an array of at most ${MAX_SCOPES} strings`);
  }
  const texts = scopes.map((scope: unknown, index) => {
    if (typeof scope === 'string' && SCOPE.test(scope)) return scope;
    throw new SandgateError('invalid_request', `scopes[${index}]: must be a scope token without blanks or quotes`);
  });
  return [...new Set(texts)];
}
