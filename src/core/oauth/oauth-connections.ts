import type { OAuthState } from '../../domain/connections/connection.js';
import type { RestingValue } from '../../platform/seal/sealer.js';
import { ConnectionEntity } from '../connections/connection.entity.js';
import type { TenantTransaction } from '../record/database.js';
import { waitLongForLocks } from '../record/named-lock.js';

/** The columns of a connection that connecting and refreshing read. */
export interface OAuthConnectionRow {
  id: string;
  status: string;
  generation: number;
  displayName: string;
  baseUrl: string;
  /** Belongs to one person, not to the organization. */
  personal: boolean;
  oauth: OAuthState;
  /** The refresh token. */
  credential: RestingValue | null;
  /** Of an identity that a person registered by hand. */
  clientSecret: RestingValue | null;
}

/**
 * Takes the connection's lock: refreshes and authorizations of one connection exclude each other in all processes, until the
 * transaction ends (docs/design/oauth.md). The key is the first 8 bytes of its id.
 */
export async function lockConnection(tx: TenantTransaction, connectionId: string): Promise<void> {
  await waitLongForLocks(tx);
  const key = BigInt.asIntN(64, BigInt(`0x${connectionId.replaceAll('-', '').slice(0, 16)}`));
  await tx.query('select pg_advisory_xact_lock($1::bigint)', [key.toString()]);
}

/** Null for a connection that the organization does not have, or that is not authorized by OAuth. */
export async function readOAuthConnection(tx: TenantTransaction, id: string): Promise<OAuthConnectionRow | null> {
  const row = await tx.manager.findOne(ConnectionEntity, {
    select: {
      id: true,
      status: true,
      authorization_generation: true,
      display_name: true,
      metadata: true,
      oauth: true,
      owner_type: true,
      credential_sealed: true,
      credential_key_version: true,
      client_secret_sealed: true,
      client_secret_key_version: true,
    },
    where: { id, auth_kind: 'oauth' },
  });
  if (row?.oauth == null) return null;
  return {
    id: row.id,
    status: row.status,
    generation: row.authorization_generation,
    displayName: row.display_name,
    personal: row.owner_type === 'user',
    baseUrl: row.metadata.base_url ?? row.oauth.resource,
    oauth: row.oauth,
    credential: sealedColumn(row.credential_sealed, row.credential_key_version),
    clientSecret: sealedColumn(row.client_secret_sealed, row.client_secret_key_version),
  };
}

function sealedColumn(sealed: Buffer | null, keyVersion: number): RestingValue | null {
  return sealed === null ? null : { sealed, keyVersion };
}
