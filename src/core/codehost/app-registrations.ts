import { newRowId } from '../../platform/postgres/row-id.js';
import { changeRow, CLOCK, insertRows } from '../../platform/postgres/write-rows.js';
import type { Sealed } from '../../platform/seal/sealer.js';
import type { RegisteredApp } from '../../platform/codehost/code-host.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { onlyRow, queryRow } from '../record/query-row.js';
import { AppRegistrationEntity } from './app-registration.entity.js';

/** An app that we registered at the code host, with its sealed private key. */
export interface AppRegistration {
  app_id: string;
  pem_sealed: Buffer;
  pem_key_version: number;
}

/** A registration without its secrets: what the API answers. */
export interface AppRegistrationRecord extends Omit<
  AppRegistrationEntity,
  `${'pem' | 'webhook_secret' | 'client_secret'}_${'sealed' | 'key_version'}`
> {
  /** Without one the app can fetch and publish, and no event of it can be verified. */
  has_webhook_secret: boolean;
}

/** The secrets of an app, sealed for its registration. */
export interface SealedAppSecrets {
  pem: Sealed;
  clientSecret: Sealed;
  webhookSecret: Sealed | null;
}

/** Newest first. */
export async function listRegistrations(tx: TenantTransaction): Promise<AppRegistrationRecord[]> {
  const rows = await tx.manager.find(AppRegistrationEntity, {
    select: RECORD,
    order: { created_at: 'DESC', id: 'DESC' },
  });
  return rows.map(toRecord);
}

export async function readRegistration(tx: TenantTransaction, id: string): Promise<AppRegistrationRecord | null> {
  const row = await tx.manager.findOne(AppRegistrationEntity, { select: RECORD, where: { id } });
  return row && toRecord(row);
}

/** A pending one, whose app nobody has registered yet. @param organization of the code host; null for the person's account */
export async function insertRegistration(
  tx: TenantTransaction,
  organization: string | null,
): Promise<AppRegistrationRecord> {
  const id = newRowId();
  const row = {
    id,
    tenant_id: tx.organizationId,
    target_kind: organization === null ? ('personal' as const) : ('organization' as const),
    target_org: organization,
  };
  await insertRows(tx, AppRegistrationEntity, [row]);
  return onlyRow(
    [await readRegistration(tx, id)].flatMap((read) => read ?? []),
    'a new registration',
  );
}

/** Makes a pending registration active, once. @returns false when it was not pending any more */
export function activateRegistration(
  tx: TenantTransaction,
  id: string,
  app: RegisteredApp,
  { pem, clientSecret, webhookSecret }: SealedAppSecrets,
): Promise<boolean> {
  return changeRow(
    tx,
    AppRegistrationEntity,
    { id, status: 'pending' },
    {
      status: 'active',
      app_id: app.id,
      slug: app.slug,
      name: app.name,
      client_id: app.clientId,
      html_url: app.htmlUrl,
      owner_login: app.ownerLogin,
      pem_sealed: pem.bytes,
      pem_key_version: pem.keyVersion,
      client_secret_sealed: clientSecret.bytes,
      client_secret_key_version: clientSecret.keyVersion,
      ...(webhookSecret === null
        ? {}
        : { webhook_secret_sealed: webhookSecret.bytes, webhook_secret_key_version: webhookSecret.keyVersion }),
      updated_at: CLOCK,
    },
  );
}

/**
 * Revokes a registration and, in the same statement, every connection that lives by it.
 *
 * @returns the ids of those connections; null when it is not there or is revoked already
 */
export async function revokeRegistration(tx: TenantTransaction, id: string): Promise<string[] | null> {
  const [row] = await tx.query<{ connections: string[] }>('select * from svc_revoke_app_registration($1)', [id]);
  return row?.connections ?? null;
}

/** The organization of a registration that somebody names who has no credential; null for an unknown one. */
export async function organizationOf(db: Pick<Database, 'pool'>, registrationId: string): Promise<string | null> {
  const row = await queryRow<{ id: string | null }>(db.pool, {
    text: 'select svc_find_app_registration($1) as id',
    values: [registrationId],
  });
  return row.id;
}

export async function readActiveRegistration(tx: TenantTransaction, id: string): Promise<AppRegistration | undefined> {
  const row = await tx.manager.findOne(AppRegistrationEntity, {
    select: { id: true, app_id: true, pem_sealed: true, pem_key_version: true },
    where: { id, status: 'active' },
  });
  if (row?.app_id == null || row.pem_sealed === null) return undefined;
  return { app_id: row.app_id, pem_sealed: row.pem_sealed, pem_key_version: row.pem_key_version };
}

/** Whether the registration is active; it stays so until the end of the transaction. */
export async function holdRegistration(tx: TenantTransaction, id: string): Promise<boolean> {
  const registration = await tx.manager.findOne(AppRegistrationEntity, {
    where: { id },
    lock: { mode: 'pessimistic_read' },
  });
  return registration?.status === 'active';
}

/** The columns of a record, and the one whose presence it tells. */
const RECORD = {
  id: true,
  tenant_id: true,
  status: true,
  target_kind: true,
  target_org: true,
  app_id: true,
  slug: true,
  name: true,
  client_id: true,
  html_url: true,
  owner_login: true,
  webhook_secret_sealed: true,
  created_at: true,
  updated_at: true,
} as const;

function toRecord({ webhook_secret_sealed: webhookSecret, ...row }: AppRegistrationEntity): AppRegistrationRecord {
  return { ...row, has_webhook_secret: webhookSecret !== null };
}
