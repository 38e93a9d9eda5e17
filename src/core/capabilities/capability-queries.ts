import { In } from 'typeorm';
import type { BundlePin } from '../../domain/capabilities/bundle.js';
import type { BundleRef } from '../../domain/capabilities/pins.js';
import type { TenantTransaction } from '../record/database.js';
import { isStorableText } from '../../domain/storage/storable-text.js';
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

/** The pinned versions, in the order of the pins. A pin without its row is a defect. */
export async function readPinned(tx: TenantTransaction, pins: readonly BundlePin[]): Promise<CapabilityBundleEntity[]> {
  if (pins.length === 0) return [];
  const rows = await tx.manager.findBy(CapabilityBundleEntity, { id: In(pins.map(({ id }) => id)) });
  return pins.map((pin) => {
    const row = rows.find(({ id }) => id === pin.id);
    if (row === undefined) throw new Error(`bundle ${pin.name}@${pin.version} of a revision has no row`);
    return row;
  });
}
