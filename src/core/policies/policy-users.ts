import { AgentRevisionEntity } from '../agents/agent.entity.js';
import type { TenantTransaction } from '../record/database.js';

/** An agent whose latest revision names a policy. */
export interface AgentUsing {
  id: string;
  name: string;
}

/** The agents whose latest revision names each policy, ordered by name; by policy id (docs/design/policy.md). */
export async function agentsByPolicy(tx: TenantTransaction, policyId?: string): Promise<Map<string, AgentUsing[]>> {
  const rows = await tx.query<AgentUsing & { policy_id: string }>('select * from svc_list_agents_by_policy($1)', [
    policyId ?? null,
  ]);
  const users = new Map<string, AgentUsing[]>();
  for (const { policy_id, id, name } of rows) users.set(policy_id, [...(users.get(policy_id) ?? []), { id, name }]);
  return users;
}

/**
 * Names of the MCP tools of those agents: every tool of every server of their pinned bundles, and every required tool of their
 * connection requirements. Sorted, without repeats.
 */
export async function mcpToolsUnder(tx: TenantTransaction, policyId: string): Promise<string[]> {
  const rows = await tx.query<{ name: string }>('select svc_list_mcp_tools_under($1) as name', [policyId]);
  return rows.map(({ name }) => name).sort();
}

/** How many agent revisions, historical ones included, name the policy: each of them keeps it from being deleted. */
export function countRevisions(tx: TenantTransaction, policyId: string): Promise<number> {
  return tx.manager.countBy(AgentRevisionEntity, { policy_id: policyId });
}
