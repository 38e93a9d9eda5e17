import type { TenantTransaction } from '../record/database.js';

/** An app that we registered at the code host, with its sealed private key. */
export interface AppRegistration {
  app_id: string;
  pem_sealed: Buffer;
  pem_key_version: number;
}

export async function readActiveRegistration(tx: TenantTransaction, id: string): Promise<AppRegistration | undefined> {
  const [row] = await tx.query<AppRegistration>(
    `select app_id, pem_sealed, pem_key_version from github_app_registrations where id = $1 and status = 'active'`,
    [id],
  );
  return row;
}

/** Whether the registration is active; it stays so until the end of the transaction. */
export async function holdRegistration(tx: TenantTransaction, id: string): Promise<boolean> {
  const [registration] = await tx.query<{ status: string }>(
    'select status from github_app_registrations where id = $1 for share',
    [id],
  );
  return registration?.status === 'active';
}
