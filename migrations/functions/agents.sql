-- Agents, the policies that they use, and capability bundles.

create or replace function svc_latest_revisions()
returns setof agent_revisions
language sql stable
as $$
  select distinct on (r.agent_id) r.* from agent_revisions r order by r.agent_id, r.rev desc
$$;

-- Descriptions of the latest revisions, of agents that have been described anew since they were registered.
create or replace function svc_list_latest_descriptions()
returns table (agent_id uuid, description text)
language sql stable
as $$
  select a.id, r.description
    from agents a cross join lateral (
      select description from agent_revisions where agent_id = a.id order by rev desc limit 1) r
    where r.description is not null
$$;

-- Agents whose latest revision names a policy; without one, those of all policies.
create or replace function svc_list_agents_by_policy(p_policy uuid)
returns table (policy_id uuid, id uuid, name text)
language sql stable
as $$
  select latest.policy_id, agents.id, agents.name
    from svc_latest_revisions() latest join agents on agents.id = latest.agent_id
    where p_policy is null or latest.policy_id = p_policy order by agents.name
$$;

-- Names of the MCP tools that runs under a policy may have: of bundles, and those that connection slots require.
create or replace function svc_list_mcp_tools_under(p_policy uuid)
returns setof text
language sql stable
as $$
  with mine as (select * from svc_latest_revisions() where policy_id = p_policy)
  select 'mcp__' || (server ->> 'name') || '__' || (tool ->> 'name')
    from mine, jsonb_array_elements(mine.capability_bundles) as pin
    join capability_bundles on capability_bundles.id = (pin ->> 'id')::uuid,
         jsonb_array_elements(capability_bundles.definition -> 'servers') as server,
         jsonb_array_elements(server -> 'tools') as tool
  union
  select 'mcp__' || (requirement ->> 'slot') || '__' || required
    from mine, jsonb_array_elements(mine.connection_requirements) as requirement,
         jsonb_array_elements_text(coalesce(requirement -> 'required_tools', '[]')) as required
$$;

-- Versions of bundles by name, the newest of each first, with what a list shows of their servers.
create or replace function svc_list_bundles(p_limit int)
returns table (
  id uuid, name text, version int, description text, definition_digest text, server_count int, tool_count int,
  classes json, created_at timestamptz
)
language sql stable
as $$
  select b.id, b.name, b.version, b.description, b.definition_digest, s.server_count, s.tool_count, s.classes,
         b.created_at
    from capability_bundles b,
         lateral (select count(*)::int as server_count,
                         coalesce(sum(jsonb_array_length(server -> 'tools')), 0)::int as tool_count,
                         coalesce(json_agg(distinct server ->> 'class'), '[]') as classes
                    from jsonb_array_elements(b.definition -> 'servers') server) s
    order by b.name, b.version desc limit p_limit
$$;

-- The next version of a bundle. The caller holds the lock of its name.
create or replace function svc_append_bundle(
  p_id uuid, p_tenant uuid, p_name text, p_description text, p_definition jsonb, p_digest text
)
returns setof capability_bundles
language sql
as $$
  insert into capability_bundles (id, tenant_id, name, version, description, definition, definition_digest)
  select p_id, p_tenant, p_name, coalesce(max(version), 0) + 1, p_description, p_definition, p_digest
    from capability_bundles where name = p_name
  returning *
$$;
