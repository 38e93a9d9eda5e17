import type { TenantTransaction } from '../record/database.js';
import { readApproval } from './approvals.js';
import { decisionEvent } from '../gate/gate-call.js';

/**
 * Marks an approved call as let go; from here on its repetitions get the stored verdict.
 *
 * @returns false when it was withheld meanwhile
 */
export async function releaseApproved(tx: TenantTransaction, approvalId: string): Promise<boolean> {
  const rows = await tx.query(
    `update approvals set released_at = coalesce(released_at, clock_timestamp())
     where id = $1 and withheld_reason is null returning id`,
    [approvalId],
  );
  return rows.length > 0;
}

/**
 * Withholds an approved call before its release, for example because a file that was shown has changed (docs/design/gate.md). The
 * decision stands, the call and its repetitions are denied.
 *
 * @returns whether this call recorded it; false also when another presentation of the call was released first
 */
export async function withholdApproved(
  tx: TenantTransaction,
  input: { approvalId: string; source: string; reason: string },
): Promise<boolean> {
  const row = await readApproval(tx, input.approvalId);
  await tx.query('select 1 from session_heads where session_id = $1 for no key update', [row.session_id]);
  const [marked] = await tx.query(
    `update approvals set withheld_reason = $2
     where id = $1 and withheld_reason is null and released_at is null and status in ('approved_once', 'approved_session') returning id`,
    [input.approvalId, input.reason],
  );
  if (marked === undefined) return false;
  tx.wake(row.session_id, 'approval');
  await tx.append(row.session_id, [
    decisionEvent(
      { toolCallId: row.tool_call_id, tool: row.tool },
      { kind: 'deny', source: input.source, originalVerdict: 'require_approval', reason: input.reason },
    ),
  ]);
  return true;
}
