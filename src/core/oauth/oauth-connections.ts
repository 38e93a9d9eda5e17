import type { TenantTransaction } from '../record/database.js';
import type { OAuthState } from '../../domain/connections/connection.js';

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
  credential: SealedColumn | null;
  /** Of an identity that a person registered by hand. */
  clientSecret: SealedColumn | null;
}

export interface SealedColumn {
  sealed: Buffer;
  keyVersion: number;
}

interface Row {
  id: string;
  status: string;
  authorization_generation: number;
  display_name: string;
  base_url: string | null;
  personal: boolean;
  oauth: OAuthState;
  credential_sealed: Buffer | null;
  credential_key_version: number;
  client_secret_sealed: Buffer | null;
  client_secret_key_version: number;
}

/** Longer than what a holder of the lock may wait for before its commit: a database connection, and a token request of 15 s. */
const LOCK_WAIT = '50s';

/**
 * Takes the connection's lock: refreshes and authorizations of one connection exclude each other in all processes, until the
 * transaction ends (docs/design/oauth.md). The key is the first 8 bytes of its id.
 */
export async function lockConnection(tx: TenantTransaction, connectionId: string): Promise<void> {
  await tx.query(`select set_config('lock_timeout', $1, true), set_config('statement_timeout', $1, true)`, [LOCK_WAIT]);
  const key = BigInt.asIntN(64, BigInt(`0x${connectionId.replaceAll('-', '').slice(0, 16)}`));
  await tx.query('select pg_advisory_xact_lock($1::bigint)', [key.toString()]);
}

/** Null for a connection that the organization does not have, or that is not authorized by OAuth. */
export async function readOAuthConnection(tx: TenantTransaction, id: string): Promise<OAuthConnectionRow | null> {
  const [row] = await tx.query<Row>(
    `select id, status, authorization_generation, display_name, metadata ->> 'base_url' as base_url, oauth,
            owner_type = 'user' as personal,
            credential_sealed, credential_key_version, client_secret_sealed, client_secret_key_version
     from integration_connections where id = $1 and auth_kind = 'oauth'`,
    [id],
  );
  if (row === undefined) return null;
  return {
    id: row.id,
    status: row.status,
    generation: row.authorization_generation,
    displayName: row.display_name,
    personal: row.personal,
    baseUrl: row.base_url ?? row.oauth.resource,
    oauth: row.oauth,
    credential: sealedColumn(row.credential_sealed, row.credential_key_version),
    clientSecret: sealedColumn(row.client_secret_sealed, row.client_secret_key_version),
  };
}

function sealedColumn(sealed: Buffer | null, keyVersion: number): SealedColumn | null {
  return sealed === null ? null : { sealed, keyVersion };
}
