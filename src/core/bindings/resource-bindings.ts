import type { ResourceBinding } from '../../domain/connections/resource-binding.js';
import type { TenantTransaction } from '../record/database.js';
import { insertRows } from '../../platform/postgres/write-rows.js';
import { toBinding, toRow } from './binding-row.js';
import { BindingEntity } from './binding.entity.js';

/** The frozen binding of one slot of a run; null when the organization has no such run or the run no such slot (docs/design/connections.md). */
export async function findBinding(
  tx: TenantTransaction,
  at: Pick<ResourceBinding, 'runId' | 'slotKind' | 'slot'>,
): Promise<ResourceBinding | null> {
  const row = await tx.manager.findOneBy(BindingEntity, {
    session_id: at.runId,
    slot_kind: at.slotKind,
    requirement_slot: at.slot,
  });
  return row && toBinding(row);
}

/** A frozen binding by its id; null when the organization has none such. */
export async function findBindingById(tx: TenantTransaction, id: string): Promise<ResourceBinding | null> {
  const row = await tx.manager.findOneBy(BindingEntity, { id });
  return row && toBinding(row);
}

/** Writes the bindings of a new run, in the transaction that inserts it. */
export async function insertBindings(tx: TenantTransaction, bindings: readonly ResourceBinding[]): Promise<void> {
  await insertRows(tx, BindingEntity, bindings.map(toRow));
}
