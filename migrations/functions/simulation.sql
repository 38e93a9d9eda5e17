-- Recorded calls, against which a policy is tried. A null argument of a filter filters nothing.

-- Runs that match, newest id first, after the one given. Specifications are read of those alone.
create or replace function svc_find_recorded_runs(
  p_revisions uuid[], p_agent uuid, p_sessions uuid[], p_since timestamptz, p_until timestamptz, p_after uuid,
  p_limit int
)
returns table (
  id uuid, agent_name text, autonomy text, policy_version int, policy_engine int, snapshot_digest text
)
language sql stable
as $$
  select s.id, s.run_spec ->> 'agent_name', s.autonomy, (s.run_spec ->> 'policy_version')::int,
         (s.run_spec ->> 'policy_engine')::int,
         encode(sha256(convert_to((s.run_spec -> 'policy_snapshot')::text, 'UTF8')), 'hex')
    from (
      select s.id from sessions s
        where (p_revisions is null or s.agent_revision_id = any (p_revisions))
          and (p_agent is null or s.agent_id = p_agent) and (p_sessions is null or s.id = any (p_sessions))
          and (p_since is null or coalesce(s.finished_at, 'infinity') >= p_since)
          and (p_until is null or s.created_at < p_until) and (p_after is null or s.id < p_after)
        order by s.id desc limit p_limit) picked
    join sessions s on s.id = picked.id order by s.id desc
$$;

create or replace function svc_read_policy_snapshots(p_sessions uuid[])
returns table (id uuid, snapshot jsonb)
language sql stable
as $$
  select s.id, s.run_spec -> 'policy_snapshot' from sessions s where s.id = any (p_sessions)
$$;

-- Calls of some runs after the one given, those with the highest ids first, with their sealed views while they have
-- any. Tools by name, or by how their names start. The question about a network is no call.
create or replace function svc_list_recorded_calls(
  p_sessions uuid[], p_since timestamptz, p_until timestamptz, p_tools text[], p_starts text[], p_after_session uuid,
  p_after_call text, p_limit int
)
returns table (
  session_id uuid, tool_call_id text, tool text, summary text, requested_at timestamptz, status text, source text,
  withheld boolean, sealed bytea, key_version smallint
)
language sql stable
as $$
  select a.session_id, a.tool_call_id, a.tool, a.summary, a.requested_at, a.status, a.source,
         a.withheld_reason is not null, p.sealed, p.key_version
    from approvals a
    left join tool_call_payloads p on p.session_id = a.session_id and p.tool_call_id = a.tool_call_id
      and p.kind = 'policy_view' and (p.expires_at is null or p.expires_at > clock_timestamp())
    where a.session_id = any (p_sessions) and (a.tool_call_id, a.tool) <> ('network-grant', 'network.grant')
      and (p_since is null or a.requested_at >= p_since) and (p_until is null or a.requested_at < p_until)
      and (p_tools is null or a.tool = any (p_tools)
           or exists (select from unnest(p_starts) as start where starts_with(a.tool, start)))
      and (p_after_session is null or (a.session_id, a.tool_call_id) < (p_after_session, p_after_call))
    order by a.session_id desc, a.tool_call_id desc limit p_limit
$$;

-- How many calls that list would have; no more than the limit are counted.
create or replace function svc_count_recorded_calls(
  p_sessions uuid[], p_since timestamptz, p_until timestamptz, p_tools text[], p_starts text[], p_after_session uuid,
  p_after_call text, p_limit int
)
returns int
language sql stable
as $$
  select count(*)::int from (
    select 1 from approvals a
      where a.session_id = any (p_sessions) and (a.tool_call_id, a.tool) <> ('network-grant', 'network.grant')
        and (p_since is null or a.requested_at >= p_since) and (p_until is null or a.requested_at < p_until)
        and (p_tools is null or a.tool = any (p_tools)
             or exists (select from unnest(p_starts) as start where starts_with(a.tool, start)))
        and (p_after_session is null or (a.session_id, a.tool_call_id) < (p_after_session, p_after_call))
      limit p_limit) matching
$$;

-- Where the ledger has the requests of some calls.
create or replace function svc_read_request_seqs(p_sessions uuid[], p_calls text[])
returns table (session_id uuid, tool_call_id text, seq bigint)
language sql stable
as $$
  select e.session_id, e.payload -> 'data' ->> 'tool_call_id', min(e.seq) from events e
    where e.session_id = any (p_sessions) and e.type = 'tool.requested'
      and e.payload -> 'data' ->> 'tool_call_id' = any (p_calls)
    group by 1, 2
$$;
