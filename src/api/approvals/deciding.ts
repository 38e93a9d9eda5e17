import {
  authorityOfCall,
  decisionProblem,
  type CallAuthority,
  type ConnectionOwner,
} from '../../domain/connections/decision-authority.js';
import { isMcpName } from '../../domain/tools/mcp-name.js';
import type { TenantTransaction } from '../../core/record/database.js';
import { userIdOf, type Principal } from '../auth/principal.js';

/** What is to be known of an approval before anybody decides it. */
interface AskedCall {
  id: string;
  tool: string;
  invoked_by_user_id: string | null;
  slot: string | null;
  frozen_owner_type: ConnectionOwner['type'] | null;
  frozen_owner_user_id: string | null;
  live_owner_type: ConnectionOwner['type'] | null;
  live_owner_user_id: string | null;
}

/** Why the caller must not decide each of these approvals, null where the caller may; by approval id (chapter 60 §6). */
export async function decisionProblems(
  tx: TenantTransaction,
  principal: Principal,
  approvalIds: readonly string[],
): Promise<Map<string, string | null>> {
  const calls = await readAsked(tx, approvalIds);
  const decider = { userId: userIdOf(principal), forOrganization: decidesForOrganization(principal) };
  return new Map(
    calls.map((call) => [call.id, decisionProblem(authorityOf(call), decider, call.invoked_by_user_id)] as const),
  );
}

/** Whether the caller may see and decide what runs of others ask; a plain member has the runs that the member started. */
export function decidesForOrganization(principal: Principal): boolean {
  return principal.kind === 'operator' || principal.role !== 'member';
}

function authorityOf(call: AskedCall): CallAuthority {
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

/** A slot holds no underscore, so one surface at most has the tool. */
function readAsked(tx: TenantTransaction, approvalIds: readonly string[]): Promise<AskedCall[]> {
  return tx.query<AskedCall>(
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
}
