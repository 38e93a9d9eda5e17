import { randomBytes } from 'node:crypto';
import { SCOPES } from '../../domain/access/scopes.js';
import { newRowId } from '../../../../src/platform/postgres/row-id.js';
import type { Record as DocsvcRecord } from '../record/record.js';
import { newClientId, newClientSecret } from './secrets.js';

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
  const made = await make(record, name, false);
  if (made === null) throw new Error('the organization was not made');
  return made;
}

/**
 * The first start of an installation makes an organization and its administrator client; processes that start together make one.
 *
 * @returns the client to be kept, or null where there is an organization already
 */
export function makeFirstOrganization(record: Asker, name = 'Default'): Promise<FirstClient | null> {
  return make(record, name, true);
}

async function make(record: Asker, name: string, onlyFirst: boolean): Promise<FirstClient | null> {
  const [orgId, clientRowId, clientId, secret] = [newRowId(), newRowId(), newClientId(), newClientSecret()];
  const [answer] = await record.query<{ made: boolean }>(
    'select docsvc_make_organization($1, $2, $3, $4, $5, $6, $7, $8, $9) as made',
    [onlyFirst, orgId, name, randomBytes(SALT_BYTES), clientRowId, clientId, 'Administrator', secret.hash, [...SCOPES]],
  );
  return answer?.made === true ? { orgId, clientRowId, clientId, clientSecret: secret.text } : null;
}
