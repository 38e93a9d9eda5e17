import { In } from 'typeorm';
import { definitionDigest, type BundlePin } from '../../domain/capabilities/bundle.js';
import type { BundleDraft } from '../../domain/capabilities/parse-bundle.js';
import type { BundleRef } from '../../domain/capabilities/pins.js';
import type { TenantTransaction } from '../record/database.js';
import { onlyRow } from '../record/query-row.js';
import { lockName } from '../record/named-lock.js';
import { isStorableText } from '../../domain/storage/storable-text.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { CapabilityBundleEntity } from './capability-bundle.entity.js';

/** The version that a reference names, the newest one for a bare name; null when there is none. */
export async function findBundle(
  tx: TenantTransaction,
  { name, version }: Pick<BundleRef, 'name' | 'version'>,
): Promise<CapabilityBundleEntity | null> {
  if (!isStorableText(name)) return null;
  return tx.manager.findOne(CapabilityBundleEntity, {
    where: version === null ? { name } : { name, version },
    order: { version: 'DESC' },
  });
}

/** The pinned versions, in the order of the pins. Every pin has its row. */
export async function readPinned(tx: TenantTransaction, pins: readonly BundlePin[]): Promise<CapabilityBundleEntity[]> {
  if (pins.length === 0) return [];
  const rows = await tx.manager.findBy(CapabilityBundleEntity, { id: In(pins.map(({ id }) => id)) });
  return pins.map((pin) => {
    const row = rows.find(({ id }) => id === pin.id);
    if (row === undefined) throw new Error(`bundle ${pin.name}@${pin.version} of a revision has no row`);
    return row;
  });
}

/** A bundle in a list, counted by the query, so that definitions of megabytes stay in the database. */
export interface BundleSummary {
  id: string;
  name: string;
  version: number;
  description: string | null;
  definition_digest: string;
  server_count: number;
  tool_count: number;
  classes: string[];
  created_at: Date;
}

/** By name, the newest version of each first. */
export function listBundles(tx: TenantTransaction, limit: number): Promise<BundleSummary[]> {
  return tx.query<BundleSummary>('select * from svc_list_bundles($1)', [limit]);
}

/** Appends the next version of the name. */
export async function appendBundle(tx: TenantTransaction, draft: BundleDraft): Promise<CapabilityBundleEntity> {
  // One publisher of a name at a time, so that each number is used once.
  await lockName(tx, `capability:${tx.organizationId}:${draft.name}`);
  const rows = await tx.query<CapabilityBundleEntity>(
    'select * from svc_append_bundle($1, $2, $3, $4, $5::jsonb, $6)',
    [
      newRowId(),
      tx.organizationId,
      draft.name,
      draft.description,
      JSON.stringify({ servers: draft.servers }),
      definitionDigest(draft.servers),
    ],
  );
  return onlyRow(rows, 'svc_append_bundle');
}
