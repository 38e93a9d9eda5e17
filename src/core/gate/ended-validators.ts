import { unusableSchemaReason } from '../../domain/gate/messages.js';
import { ENDED_VALIDATOR } from '../../domain/gate/schema-finding.js';
import type { TenantTransaction } from '../record/database.js';

/**
 * The tools of a run whose validator had to be ended, with the reason, so that they stay un-callable for a process that reads
 * the run anew (docs/design/gate.md). The recorded denials say it; there is no other record.
 */
export async function readEndedValidators(tx: TenantTransaction, sessionId: string): Promise<Map<string, string>> {
  const reasons = new Map(Object.values(ENDED_VALIDATOR).map((reason) => [unusableSchemaReason(reason), reason]));
  const rows = await tx.query<{ tool: string; reason: string }>(
    `select distinct tool, reason from approvals
     where session_id = $1 and status = 'auto_denied' and source = 'schema' and reason = any ($2::text[])`,
    [sessionId, [...reasons.keys()]],
  );
  return new Map(rows.map(({ tool, reason }) => [tool, reasons.get(reason) ?? reason]));
}
