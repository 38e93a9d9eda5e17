import type { TenantTransaction } from '../record/database.js';
import { readApproval } from './approvals.js';
import { decisionEvent } from '../gate/gate-call.js';

/**
 * Marks an approved call as let go; from here on its repetitions get the stored verdict.
 *
 * @returns false when it was withheld meanwhile
 */
export async function releaseApproved(tx: TenantTransaction, approvalId: string): Promise<boolean> {
  const [answer] = await tx.query<{ released: boolean }>('select svc_release_approval($1) as released', [approvalId]);
  return answer?.released === true;
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
  const [answer] = await tx.query<{ withheld: boolean }>('select svc_withhold_approval($1, $2, $3) as withheld', [
    row.session_id,
    input.approvalId,
    input.reason,
  ]);
  if (answer?.withheld !== true) return false;
  tx.wake(row.session_id, 'approval');
  await tx.append(row.session_id, [
    decisionEvent(
      { toolCallId: row.tool_call_id, tool: row.tool },
      { kind: 'deny', source: input.source, originalVerdict: 'require_approval', reason: input.reason },
    ),
  ]);
  return true;
}
