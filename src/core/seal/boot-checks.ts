import type { Database } from '../record/database.js';
import { queryRows } from '../record/query-row.js';
import { DATA_KEY_VERSION, DataKeys } from '../../platform/seal/data-keys.js';
import { DataKeyRows } from './data-key-rows.js';
import { keyManagementOf, type SealKeys } from '../../platform/seal/sealer.js';
import type { KeyManagement } from '../../platform/seal/key-management.js';

/** The boot must stop: what is sealed could not be opened, or would be sealed by the wrong key. */
export class SealRefused extends Error {
  override readonly name = 'SealRefused';
}

interface SealedCount {
  place: string;
  key_version: number;
  rows: string;
}

/**
 * Checks at boot that the configured keys fit what the database holds (docs/design/sealing.md). In mode `static` without any data
 * key it claims the deployment by minting the deployment organization's, so that a replica with another key is refused.
 *
 * @returns warnings for the boot log
 * @throws SealRefused with a sentence that names the variable
 */
export async function checkSealing(db: Database, keys: SealKeys, deploymentOrganizationId: string): Promise<string[]> {
  requireModeKeys(keys);
  const counts = await queryRows<SealedCount>(db.pool, { text: 'select * from svc_sealed_rows()' });
  const kms = keyManagementOf(keys);
  if (keys.credentialKey === null || kms === null) refuseUnreadable(counts, keys.credentialKey !== null, kms !== null);
  if (kms !== null) {
    await checkDataKeys(db, kms, deploymentOrganizationId);
    return [];
  }
  if (keys.credentialKey === null) {
    return [
      'no sealing key is configured: connections answer 503, and the input of a call that waits for approval rests in clear',
    ];
  }
  return ['SERVICE_CREDENTIAL_KEY seals in the legacy form (version 1); SERVICE_KMS_MODE=static writes version 2'];
}

function requireModeKeys(keys: SealKeys): void {
  if (keys.kmsMode === 'aws') throw new SealRefused('SERVICE_KMS_MODE=aws is not in this version; use static');
  if (keys.kmsMode === 'static' && keys.staticKek === null) {
    throw new SealRefused('SERVICE_KMS_STATIC_KEK must be set with SERVICE_KMS_MODE=static');
  }
}

function refuseUnreadable(counts: SealedCount[], canReadV1: boolean, canReadV2: boolean): void {
  const v1 = counts.filter((count) => count.key_version === 1);
  if (!canReadV1 && v1.length > 0) {
    throw new SealRefused(`SERVICE_CREDENTIAL_KEY is not set, but legacy (v1) sealed row(s) remain: ${list(v1)}`);
  }
  const v2 = counts.filter((count) => count.key_version === 2);
  if (!canReadV2 && v2.length > 0) {
    throw new SealRefused(`SERVICE_KMS_MODE is off, but sealed row(s) of version 2 exist: ${list(v2)}`);
  }
}

function list(counts: SealedCount[]): string {
  return counts.map((count) => `${count.place} ${count.rows}`).join(', ');
}

async function checkDataKeys(db: Database, kms: KeyManagement, deploymentOrganizationId: string): Promise<void> {
  if ((await readKeks(db)).length === 0)
    await new DataKeys(new DataKeyRows(db), kms).forSealing(deploymentOrganizationId);
  const keks = await readKeks(db);
  const foreign = keks.filter((kek) => kek.kek_id !== kms.kekId);
  if (foreign.length > 0) {
    throw new SealRefused(
      `SERVICE_KMS_STATIC_KEK is ${kms.kekId}, but data keys are wrapped by ${foreign.map((kek) => kek.kek_id).join(', ')}`,
    );
  }
  for (const kek of keks) await requireUnwrap(kms, kek);
}

interface KekRow {
  kek_id: string;
  organization_id: string;
  version: number;
  wrapped_dek: Buffer;
}

function readKeks(db: Database): Promise<KekRow[]> {
  return queryRows<KekRow>(db.pool, { text: 'select * from svc_list_keks()' });
}

async function requireUnwrap(kms: KeyManagement, kek: KekRow): Promise<void> {
  if (kek.version !== DATA_KEY_VERSION) throw new SealRefused(`data keys of version ${kek.version} are not known`);
  try {
    await kms.unwrap(kek.organization_id, kek.version, kek.wrapped_dek);
  } catch (error) {
    throw new SealRefused('SERVICE_KMS_STATIC_KEK does not open the stored data keys', { cause: error });
  }
}
