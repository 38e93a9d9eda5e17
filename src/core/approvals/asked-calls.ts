import {
  authorityOfCall,
  type CallAuthority,
  type ConnectionOwner,
} from '../../domain/connections/decision-authority.js';
import { GRANT_QUESTION } from '../../domain/network/grant-question.js';
import { isMcpName } from '../../domain/tools/mcp-name.js';
import type { TenantTransaction } from '../record/database.js';

/** What must be known about an approval before anyone decides it. */
export interface AskedCall {
  approvalId: string;
  authority: CallAuthority;
  /** The user who started the run. */
  invokedBy: string | null;
}

interface AskedRow {
  id: string;
  tool: string;
  invoked_by_user_id: string | null;
  slot: string | null;
  frozen_owner_type: ConnectionOwner['type'] | null;
  frozen_owner_user_id: string | null;
  current_owner_type: ConnectionOwner['type'] | null;
  current_owner_user_id: string | null;
}

/** A slot contains no underscore, so at most one tool set has the tool. */
export async function readAskedCalls(tx: TenantTransaction, approvalIds: readonly string[]): Promise<AskedCall[]> {
  const rows = await tx.query<AskedRow>('select * from svc_read_asked_calls($1::uuid[])', [approvalIds]);
  return rows.map((row) => ({ approvalId: row.id, authority: authorityOf(row), invokedBy: row.invoked_by_user_id }));
}

function authorityOf(call: AskedRow): CallAuthority {
  return authorityOfCall({
    isGrant: call.tool === GRANT_QUESTION.tool,
    isMcp: isMcpName(call.tool),
    isBrokered: call.slot !== null,
    frozen: ownerOf(call.frozen_owner_type, call.frozen_owner_user_id),
    current: ownerOf(call.current_owner_type, call.current_owner_user_id),
  });
}

function ownerOf(type: ConnectionOwner['type'] | null, userId: string | null): ConnectionOwner | null {
  return type === null ? null : { type, userId };
}
