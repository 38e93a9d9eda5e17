import { In, Not, type FindOptionsWhere } from 'typeorm';
import type {
  ConnectionMetadata,
  ConnectionRecord,
  ConnectionStatus,
  OAuthState,
} from '../../domain/connections/connection.js';
import type { TenantTransaction } from '../record/database.js';
import { CLOCK, insertRows, insertUnlessThere, updateRow } from '../../platform/postgres/write-rows.js';
import type { Sealed } from '../../platform/seal/sealer.js';
import { ConnectionEntity } from './connection.entity.js';
import { CONNECTION_SECRETS, type ConnectionSecret } from './connection-secrets.js';
import type { Viewer } from './viewer.js';

const MAX_NOTE_CHARS = 300;

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
export function listVisible(tx: TenantTransaction, viewer: Viewer): Promise<ConnectionRecord[]> {
  return tx.manager.find(ConnectionEntity, { where: visibleTo(viewer), order: { created_at: 'DESC', id: 'DESC' } });
}

/** Null for what is missing and for what the viewer may not see, which are the same to a caller (docs/design/connections.md). */
export function findVisible(tx: TenantTransaction, viewer: Viewer, id: string): Promise<ConnectionRecord | null> {
  return tx.manager.findOneBy(
    ConnectionEntity,
    visibleTo(viewer).map((where) => ({ ...where, id })),
  );
}

/** Without a viewer, for the control plane's own checks; the row is never answered to a caller. */
export function readConnection(tx: TenantTransaction, id: string): Promise<ConnectionRecord | null> {
  return tx.manager.findOneBy(ConnectionEntity, { id });
}

export async function insertConnection(tx: TenantTransaction, connection: NewConnection): Promise<ConnectionRecord> {
  const row = rowOf(tx, connection);
  await insertRows(tx, ConnectionEntity, [row]);
  for (const column of SEALED_COLUMNS) Reflect.deleteProperty(row, column);
  return row;
}

/** As {@link insertConnection}; null when a live connection to the same installation is there. */
export function insertConnectionUnlessThere(
  tx: TenantTransaction,
  connection: NewConnection,
): Promise<ConnectionRecord | null> {
  return insertUnlessThere(tx, ConnectionEntity, rowOf(tx, connection));
}

/** The connections to one installation, of every status, newest first. */
export function findInstallation(tx: TenantTransaction, installationId: string): Promise<ConnectionRecord[]> {
  const where = { provider: 'codehost_app', external_account_id: installationId } as const;
  return tx.manager.find(ConnectionEntity, { where, order: { created_at: 'DESC', id: 'DESC' } });
}

/** Brings a live connection to an installation up to what the host says. Null when it was revoked meanwhile. */
export function refreshInstallation(
  tx: TenantTransaction,
  { id }: Pick<ConnectionRecord, 'id'>,
  to: { status: ConnectionStatus; metadata: ConnectionMetadata },
): Promise<ConnectionRecord | null> {
  return updateRow(tx, ConnectionEntity, { id, status: Not('revoked') }, { ...to, updated_at: CLOCK });
}

/** Compare-and-swap on the status. Null when the row had moved. */
export function moveConnection(
  tx: TenantTransaction,
  id: string,
  from: readonly ConnectionStatus[],
  to: ConnectionStatus,
): Promise<ConnectionRecord | null> {
  return updateRow(tx, ConnectionEntity, { id, status: In(from) }, { status: to, updated_at: CLOCK });
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
  const [answer] = await tx.query<{ marked: boolean }>('select svc_mark_reconnect_needed($1, $2, $3) as marked', [
    id,
    generation,
    note.slice(0, MAX_NOTE_CHARS),
  ]);
  return answer?.marked === true;
}

/** Deletes the secrets that nobody may open any more. */
export async function removeSecrets(tx: TenantTransaction, id: string): Promise<void> {
  const none = { credential_sealed: null, webhook_secret_sealed: null, client_secret_sealed: null };
  await tx.manager.update(ConnectionEntity, { id }, none);
}

function rowOf(
  tx: TenantTransaction,
  { credential, webhookSecret, clientSecret, ...record }: NewConnection,
): ConnectionEntity {
  return Object.assign(new ConnectionEntity(), {
    oauth: null,
    registration_id: null,
    checks_refused_generation: null,
    ...record,
    ...sealedColumns('credential', credential),
    ...sealedColumns('webhook_secret', webhookSecret),
    ...sealedColumns('client_secret', clientSecret),
    tenant_id: tx.organizationId,
  });
}

const SEALED_COLUMNS = CONNECTION_SECRETS.flatMap((secret) => [`${secret}_sealed`, `${secret}_key_version`]);

function visibleTo({ userId }: Viewer): FindOptionsWhere<ConnectionEntity>[] {
  const ofAll = { owner_type: 'organization' } as const;
  return userId === null ? [ofAll] : [ofAll, { owner_user_id: userId }];
}

function sealedColumns(secret: ConnectionSecret, sealed: Sealed | null | undefined): Partial<ConnectionEntity> {
  return sealed == null ? {} : { [`${secret}_sealed`]: sealed.bytes, [`${secret}_key_version`]: sealed.keyVersion };
}
