import type { ConnectionRecord, ConnectionStatus, OAuthState } from '../../domain/connections/connection.js';
import type { TenantTransaction } from '../db/database.js';
import type { Sealed } from '../seal/sealer.js';
import type { Viewer } from './viewer.js';

/** Every column but the sealed ones: those are read by `ConnectionSecrets` alone. */
export const CONNECTION_COLUMNS = `id, tenant_id, provider, external_account_id, display_name, granted_scopes, resource_selection,
  status, metadata, auth_kind, oauth, registration_id, owner_type, owner_user_id, created_by_user_id,
  authorization_generation, created_at, updated_at`;

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

/** What must still hold of a row for it to be moved. */
export interface MoveGuard {
  from: readonly ConnectionStatus[];
  /** The authorization generation that was read. */
  generation?: number;
}

/** What a move writes besides the status. */
export interface Move {
  to: ConnectionStatus;
  /** Merged into `oauth`; a null member removes it. */
  oauth?: Record<string, unknown>;
}

/** The viewer's connections, newest first. */
export async function listVisible(tx: TenantTransaction, { userId }: Viewer): Promise<ConnectionRecord[]> {
  return tx.query<ConnectionRecord>(
    `select ${CONNECTION_COLUMNS} from integration_connections where ${VISIBLE} order by created_at desc, id desc`,
    [userId],
  );
}

/** Null for what is missing and for what the viewer may not see, which are the same to a caller (chapter 40 §2). */
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

/** Past the lens, for the control plane's own checks; what it reads is never answered to a caller. */
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

/** Compare-and-swap on status, and on the generation where the guard names one. Null when the row had moved. */
export async function moveConnection(
  tx: TenantTransaction,
  id: string,
  guard: MoveGuard,
  move: Move,
): Promise<ConnectionRecord | null> {
  const [row] = await tx.query<ConnectionRecord>(
    `update integration_connections
        set status = $4, updated_at = clock_timestamp(),
            oauth = case when oauth is null then null else jsonb_strip_nulls(oauth || $5::jsonb) end
      where id = $1 and status = any ($2) and ($3::int is null or authorization_generation = $3)
     returning ${CONNECTION_COLUMNS}`,
    [id, [...guard.from], guard.generation ?? null, move.to, JSON.stringify(move.oauth ?? {})],
  );
  return row ?? null;
}

/** What nobody may open any more does not stay. */
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
