import type { TenantTransaction } from '../record/database.js';

/** An agent whose latest revision names a policy. */
export interface AgentUsing {
  id: string;
  name: string;
}

const LATEST = `
  select distinct on (r.agent_id) r.agent_id, r.policy_id, r.capability_bundles, r.connection_requirements
    from agent_revisions r order by r.agent_id, r.rev desc`;

/** The agents whose latest revision names each policy, ordered by name; by policy id (docs/design/policy.md). */
export async function agentsByPolicy(tx: TenantTransaction, policyId?: string): Promise<Map<string, AgentUsing[]>> {
  const rows = await tx.query<AgentUsing & { policy_id: string }>(
    `with latest as (${LATEST})
     select latest.policy_id, agents.id, agents.name from latest join agents on agents.id = latest.agent_id
      where $1::uuid is null or latest.policy_id = $1 order by agents.name`,
    [policyId ?? null],
  );
  const users = new Map<string, AgentUsing[]>();
  for (const { policy_id, id, name } of rows) users.set(policy_id, [...(users.get(policy_id) ?? []), { id, name }]);
  return users;
}

/**
 * Names of the MCP tools of those agents: every tool of every server of their pinned bundles, and every required tool of their
 * connection requirements. Sorted, without repeats.
 */
export async function mcpToolsUnder(tx: TenantTransaction, policyId: string): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    `with latest as (${LATEST}), mine as (select * from latest where policy_id = $1)
     select 'mcp__' || (server ->> 'name') || '__' || (tool ->> 'name') as name
       from mine, jsonb_array_elements(mine.capability_bundles) as pin
       join capability_bundles on capability_bundles.id = (pin ->> 'id')::uuid,
            jsonb_array_elements(capability_bundles.definition -> 'servers') as server,
            jsonb_array_elements(server -> 'tools') as tool
     union
     select 'mcp__' || (requirement ->> 'slot') || '__' || required
       from mine, jsonb_array_elements(mine.connection_requirements) as requirement,
            jsonb_array_elements_text(coalesce(requirement -> 'required_tools', '[]')) as required`,
    [policyId],
  );
  return rows.map(({ name }) => name).sort();
}

/** How many agent revisions, historical ones included, name the policy: each of them keeps it from being deleted. */
export async function countRevisions(tx: TenantTransaction, policyId: string): Promise<number> {
  const [row] = await tx.query<{ count: string }>('select count(*) from agent_revisions where policy_id = $1', [
    policyId,
  ]);
  return Number(row?.count ?? 0);
}
