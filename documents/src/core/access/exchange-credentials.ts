import { isScope, orderScopes, type Scope } from '../../domain/access/scopes.js';
import { newRowId } from '../../../../src/platform/postgres/row-id.js';
import type { Record as DocsvcRecord } from '../record/record.js';
import { OauthError } from './oauth-error.js';
import { isOneOf, newAccessToken } from './secrets.js';

export const TOKEN_SECONDS = 3600;

/** What a machine shows for itself. */
export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
}

export interface IssuedToken {
  accessToken: string;
  expiresInSeconds: number;
  scopes: Scope[];
}

interface ClientRow {
  id: string;
  secret_hashes: Buffer[];
  scopes: Scope[];
}

/**
 * Exchanges the credentials of a client for an access token (RFC 6749, 4.4): opaque, of a limited life, of which only the digest is kept.
 *
 * @param scope names that narrow what the token may do; everything that the client may do without them
 * @throws OauthError `invalid_client`, `invalid_scope`
 */
export async function exchangeCredentials(
  record: Pick<DocsvcRecord, 'query'>,
  { clientId, clientSecret }: ClientCredentials,
  scope: string | undefined,
  requestId: string,
): Promise<IssuedToken> {
  const [client] = await record.query<ClientRow>('select * from docsvc_find_client($1)', [clientId]);
  // An unknown client costs the same work and gets the same answer as a wrong secret.
  const known = isOneOf(clientSecret, client?.secret_hashes ?? [Buffer.alloc(32)]);
  if (client === undefined || !known)
    throw new OauthError('invalid_client', 'the client is unknown or its secret is wrong');
  const scopes = narrow(client.scopes, scope);
  const token = newAccessToken();
  const [issued] = await record.query<{ seconds: number }>(
    'select docsvc_issue_token($1, $2, $3, $4, $5, $6) as seconds',
    [client.id, token.hash, scopes, TOKEN_SECONDS, newRowId(), requestId],
  );
  return { accessToken: token.text, expiresInSeconds: issued?.seconds ?? 0, scopes };
}

function narrow(held: readonly Scope[], asked: string | undefined): Scope[] {
  if (asked === undefined) return orderScopes(held);
  const names = asked.split(' ').filter((name) => name !== '');
  const refused = names.find((name) => !isScope(name) || !held.includes(name));
  if (refused !== undefined) throw new OauthError('invalid_scope', `scope: this client may not have ${shown(refused)}`);
  if (names.length === 0)
    throw new OauthError('invalid_scope', 'scope: is empty; leave it out for every scope of the client');
  return orderScopes(names.filter(isScope));
}

/** RFC 6749, 5.2 has a description in printable ASCII without quotes and backslashes. */
function shown(name: string): string {
  return name.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?').slice(0, 60);
}
