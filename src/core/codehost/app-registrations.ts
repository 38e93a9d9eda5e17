import type { TenantTransaction } from '../record/database.js';
import { AppRegistrationEntity } from './app-registration.entity.js';

/** An app that we registered at the code host, with its sealed private key. */
export interface AppRegistration {
  app_id: string;
  pem_sealed: Buffer;
  pem_key_version: number;
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
