import type { ResourceBinding } from '../../domain/connections/resource-binding.js';
import type { Database, TenantTransaction } from '../db/database.js';
import { BINDING_COLUMNS, toBinding, toRow, type BindingRow } from './binding-row.js';
import { bindingProblem } from './recheck-binding.js';

/** The frozen bindings of runs: whose authority a run acts with (chapter 40 §7.3, §7.4). */
export class ResourceBindings {
  constructor(private readonly database: Database) {}

  /** The binding of an mcp slot; null when the organization has no such run or the run no such slot. */
  find(organizationId: string, sessionId: string, slot: string): Promise<ResourceBinding | null> {
    return this.database.withTenant(organizationId, (tx) => findBinding(tx, { sessionId, slotKind: 'mcp', slot }));
  }

  /**
   * Whether the binding may still be used, asked before every use of a credential: null when it may, else the reason as the
   * model may read it (chapter 40 §7.4). It names the slot and never the connection.
   */
  recheckBinding(binding: ResourceBinding): Promise<null | { text: string }> {
    return this.database.withTenant(binding.organizationId, (tx) => bindingProblem(tx, binding));
  }
}

/** The binding of one slot of a run; null when there is none. */
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
