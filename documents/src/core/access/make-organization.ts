import { randomBytes } from 'node:crypto';
import { SCOPES } from '../../domain/access/scopes.js';
import { newRowId } from '../../../../src/platform/postgres/row-id.js';
import type { Record as DocsvcRecord } from '../record/record.js';
import { hashSecret, isOneOf, newClientId, newClientSecret } from './secrets.js';
import type { ClientCredentials } from './exchange-credentials.js';

type Asker = Pick<DocsvcRecord, 'query'>;

const SALT_BYTES = 32;

/** An organization that was made, with the one client that may do everything in it. Its secret is nowhere else. */
export interface FirstClient {
  orgId: string;
  clientRowId: string;
  clientId: string;
  clientSecret: string;
}

/** Makes an organization with an administrator client. */
export async function makeOrganization(record: Asker, name: string): Promise<FirstClient> {
  const made = await make(record, name, newCredentials(), false);
  if (made === null) throw new Error('the organization was not made');
  return made;
}

/**
 * The first start of an installation makes an organization and its administrator client; processes that start together make one.
 *
 * @param credentials of the client, which the caller has kept already: afterwards only the digest of the secret is known
 * @returns whether they are those of a client that can be used, one that was made now or before
 */
export async function makeFirstOrganization(record: Asker, credentials: ClientCredentials): Promise<boolean> {
  if ((await make(record, 'Default', credentials, true)) !== null) return true;
  const [client] = await record.query<{ secret_hashes: Buffer[] }>('select * from docsvc_find_client($1)', [
    credentials.clientId,
  ]);
  return client !== undefined && isOneOf(credentials.clientSecret, client.secret_hashes);
}

export function newCredentials(): ClientCredentials {
  return { clientId: newClientId(), clientSecret: newClientSecret().text };
}

async function make(
  record: Asker,
  name: string,
  { clientId, clientSecret }: ClientCredentials,
  onlyFirst: boolean,
): Promise<FirstClient | null> {
  const [orgId, clientRowId] = [newRowId(), newRowId()];
  const hash = hashSecret(clientSecret);
  const [answer] = await record.query<{ made: boolean }>(
    'select docsvc_make_organization($1, $2, $3, $4, $5, $6, $7, $8, $9) as made',
    [onlyFirst, orgId, name, randomBytes(SALT_BYTES), clientRowId, clientId, 'Administrator', hash, [...SCOPES]],
  );
  return answer?.made === true ? { orgId, clientRowId, clientId, clientSecret } : null;
}
