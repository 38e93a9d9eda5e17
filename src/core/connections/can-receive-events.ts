import type { TenantTransaction } from '../record/database.js';
import { onlyRow } from '../record/query-row.js';

/**
 * Whether webhooks of the code host can be verified for a connection: it is the organization's, and has a webhook secret of its own, or
 * lives by an active app registration that has one.
 */
export async function canReceiveEvents(tx: TenantTransaction, connectionId: string): Promise<boolean> {
  const rows = await tx.query<{ can: boolean }>('select svc_can_receive_events($1) as can', [connectionId]);
  return onlyRow(rows, 'svc_can_receive_events').can;
}
