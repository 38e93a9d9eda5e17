import {
  authorityOfCall,
  type CallAuthority,
  type ConnectionOwner,
} from '../../domain/connections/decision-authority.js';
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
  live_owner_type: ConnectionOwner['type'] | null;
  live_owner_user_id: string | null;
}

/** A slot contains no underscore, so at most one tool set has the tool. */
export async function readAskedCalls(tx: TenantTransaction, approvalIds: readonly string[]): Promise<AskedCall[]> {
  const rows = await tx.query<AskedRow>(
    `select a.id, a.tool, s.invoked_by_user_id, f.slot,
            b.connection_owner_type as frozen_owner_type, b.connection_owner_user_id as frozen_owner_user_id,
            c.owner_type as live_owner_type, c.owner_user_id as live_owner_user_id
       from approvals a join sessions s on s.id = a.session_id
       left join lateral (
         select surface ->> 'slot' as slot, surface ->> 'binding_id' as binding_id
           from jsonb_array_elements(s.run_spec -> 'brokered') as surface
          where starts_with(a.tool, 'mcp__' || (surface ->> 'slot') || '__') limit 1) f on true
       left join session_resource_bindings b
         on b.session_id = s.id and b.slot_kind = 'mcp' and b.requirement_slot = f.slot and b.id::text = f.binding_id
       left join integration_connections c on c.id = b.connection_id
      where a.id = any ($1::uuid[])`,
    [approvalIds],
  );
  return rows.map((row) => ({ approvalId: row.id, authority: authorityOf(row), invokedBy: row.invoked_by_user_id }));
}

function authorityOf(call: AskedRow): CallAuthority {
  return authorityOfCall({
    isMcp: isMcpName(call.tool),
    isBrokered: call.slot !== null,
    frozen: ownerOf(call.frozen_owner_type, call.frozen_owner_user_id),
    live: ownerOf(call.live_owner_type, call.live_owner_user_id),
  });
}

function ownerOf(type: ConnectionOwner['type'] | null, userId: string | null): ConnectionOwner | null {
  return type === null ? null : { type, userId };
}
