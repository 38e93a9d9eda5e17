import type { ResourceBinding } from '../../domain/connections/resource-binding.js';
import type { TenantTransaction } from '../record/database.js';
import { BINDING_COLUMNS, toBinding, toRow, type BindingRow } from './binding-row.js';

/** The frozen binding of one slot of a run; null when the organization has no such run or the run no such slot (docs/design/connections.md). */
export async function findBinding(
  tx: TenantTransaction,
  at: Pick<ResourceBinding, 'sessionId' | 'slotKind' | 'slot'>,
): Promise<ResourceBinding | null> {
  const [row] = await tx.query<BindingRow>(
    `select ${BINDING_COLUMNS.join(', ')} from session_resource_bindings
      where session_id = $1 and slot_kind = $2 and requirement_slot = $3`,
    [at.sessionId, at.slotKind, at.slot],
  );
  return row === undefined ? null : toBinding(row);
}

/** Writes the bindings of a new run, in the transaction that inserts it. */
export async function insertBindings(tx: TenantTransaction, bindings: readonly ResourceBinding[]): Promise<void> {
  if (bindings.length === 0) return;
  await tx.query(
    `insert into session_resource_bindings (${BINDING_COLUMNS.join(', ')})
     select ${BINDING_COLUMNS.join(', ')} from jsonb_populate_recordset(null::session_resource_bindings, $1::jsonb)`,
    [JSON.stringify(bindings.map(toRow))],
  );
}
