import type { ConnectionRecord, ConnectionStatus, OAuthState } from '../../domain/connections/connection.js';
import type { TenantTransaction } from '../record/database.js';
import type { Sealed } from '../../platform/seal/sealer.js';
import type { Viewer } from './viewer.js';

/** Every column but the sealed ones: those are read by `ConnectionSecrets` alone. */
const CONNECTION_COLUMNS = `id, tenant_id, provider, external_account_id, display_name, granted_scopes, resource_selection,
  status, metadata, auth_kind, oauth, registration_id, owner_type, owner_user_id, created_by_user_id,
  authorization_generation, created_at, updated_at`;

const MAX_NOTE_CHARS = 300;
const VISIBLE = `(owner_type = 'organization' or owner_user_id = $1)`;

/** A connection to insert. Its generation is 1. */
export type NewConnection = Pick<
  ConnectionRecord,
  'id' | 'provider' | 'external_account_id' | 'display_name' | 'status'
> &
  Pick<ConnectionRecord, 'auth_kind' | 'owner_type' | 'owner_user_id' | 'created_by_user_id'> &
  Partial<Pick<ConnectionRecord, 'granted_scopes' | 'metadata' | 'registration_id'>> & {
    oauth?: OAuthState | null;
    credential?: Sealed | null;
    webhookSecret?: Sealed | null;
    clientSecret?: Sealed | null;
  };

/** The viewer's connections, newest first. */
export async function listVisible(tx: TenantTransaction, { userId }: Viewer): Promise<ConnectionRecord[]> {
  return tx.query<ConnectionRecord>(
    `select ${CONNECTION_COLUMNS} from integration_connections where ${VISIBLE} order by created_at desc, id desc`,
    [userId],
  );
}

/** Null for what is missing and for what the viewer may not see, which are the same to a caller (docs/design/connections.md). */
export async function findVisible(
  tx: TenantTransaction,
  { userId }: Viewer,
  id: string,
): Promise<ConnectionRecord | null> {
  const [row] = await tx.query<ConnectionRecord>(
    `select ${CONNECTION_COLUMNS} from integration_connections where ${VISIBLE} and id = $2`,
    [userId, id],
  );
  return row ?? null;
}

/** Without a viewer, for the control plane's own checks; the row is never answered to a caller. */
export async function readConnection(tx: TenantTransaction, id: string): Promise<ConnectionRecord | null> {
  const [row] = await tx.query<ConnectionRecord>(
    `select ${CONNECTION_COLUMNS} from integration_connections where id = $1`,
    [id],
  );
  return row ?? null;
}

export async function insertConnection(tx: TenantTransaction, connection: NewConnection): Promise<ConnectionRecord> {
  const [row] = await tx.query<ConnectionRecord>(
    `insert into integration_connections (id, tenant_id, provider, external_account_id, display_name, status, auth_kind,
       owner_type, owner_user_id, created_by_user_id, granted_scopes, metadata, oauth, registration_id,
       credential_sealed, credential_key_version, webhook_secret_sealed, webhook_secret_key_version,
       client_secret_sealed, client_secret_key_version)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, coalesce($16, 1), $17, coalesce($18, 1),
             $19, coalesce($20, 1))
     returning ${CONNECTION_COLUMNS}`,
    [
      connection.id,
      tx.organizationId,
      connection.provider,
      connection.external_account_id,
      connection.display_name,
      connection.status,
      connection.auth_kind,
      connection.owner_type,
      connection.owner_user_id,
      connection.created_by_user_id,
      connection.granted_scopes ?? [],
      JSON.stringify(connection.metadata ?? {}),
      connection.oauth == null ? null : JSON.stringify(connection.oauth),
      connection.registration_id ?? null,
      ...columnsOf(connection.credential),
      ...columnsOf(connection.webhookSecret),
      ...columnsOf(connection.clientSecret),
    ],
  );
  if (row === undefined) throw new Error('an insert of one row returned none');
  return row;
}

/** Compare-and-swap on the status. Null when the row had moved. */
export async function moveConnection(
  tx: TenantTransaction,
  id: string,
  from: readonly ConnectionStatus[],
  to: ConnectionStatus,
): Promise<ConnectionRecord | null> {
  const [row] = await tx.query<ConnectionRecord>(
    `update integration_connections set status = $3, updated_at = clock_timestamp()
      where id = $1 and status = any ($2) returning ${CONNECTION_COLUMNS}`,
    [id, [...from], to],
  );
  return row ?? null;
}

/**
 * Takes an active OAuth connection out of use: a person has to connect it again. A caller who read another generation changes
 * nothing, because the connection was authorized anew meanwhile.
 *
 * @param note a sentence for a person, without anything that an upstream wrote
 * @returns whether the connection was moved
 */
export async function markReconnectNeeded(
  tx: TenantTransaction,
  { id, generation }: { id: string; generation: number },
  note: string,
): Promise<boolean> {
  const marked = await tx.query(
    `update integration_connections
        set status = 'error', oauth = oauth || jsonb_build_object('error', $3::text), updated_at = clock_timestamp()
      where id = $1 and authorization_generation = $2 and status = 'active' and auth_kind = 'oauth' returning id`,
    [id, generation, note.slice(0, MAX_NOTE_CHARS)],
  );
  return marked.length > 0;
}

/** Deletes the secrets that nobody may open any more. */
export async function removeSecrets(tx: TenantTransaction, id: string): Promise<void> {
  await tx.query(
    `update integration_connections
        set credential_sealed = null, webhook_secret_sealed = null, client_secret_sealed = null
      where id = $1`,
    [id],
  );
}

function columnsOf(sealed: Sealed | null | undefined): [Buffer | null, number | null] {
  return sealed == null ? [null, null] : [sealed.bytes, sealed.keyVersion];
}
