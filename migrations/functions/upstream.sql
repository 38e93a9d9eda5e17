-- What brokered calls read and remember beside their claims.

-- The tool sets that were frozen into a run; nothing when the organization has none of that id.
create or replace function svc_read_brokered_tool_sets(p_session uuid)
returns table (brokered jsonb)
language sql stable
as $$
  select run_spec -> 'brokered' from sessions where id = p_session
$$;

-- A session that a server issued. One that was opened anew takes the place of the one before.
create or replace function svc_remember_upstream_session(
  p_tenant uuid, p_session uuid, p_binding uuid, p_replica uuid, p_upstream_session text, p_endpoint_url text,
  p_protocol_version text
)
returns void
language sql
as $$
  insert into mcp_upstream_sessions
    (tenant_id, session_id, peer_kind, peer_id, replica, upstream_session_id, endpoint_url, protocol_version)
  values (p_tenant, p_session, 'binding', p_binding, p_replica, p_upstream_session, p_endpoint_url, p_protocol_version)
  on conflict (session_id, peer_kind, peer_id, replica) do update
    set upstream_session_id = excluded.upstream_session_id, endpoint_url = excluded.endpoint_url,
        protocol_version = excluded.protocol_version, opened_at = clock_timestamp(), deleted_at = null,
        delete_outcome = null
$$;

-- Open claims of a run, or of one attempt of a call; only those whose time is over, or all.
create or replace function svc_list_open_claims(p_session uuid, p_call uuid, p_attempt int, p_expired_only boolean)
returns table (claim_id uuid, attempt int, tool_call_id text, tool text)
language sql stable
as $$
  select c.id, c.attempt, c.tool_call_id, c.tool from tool_execution_claims c
    where c.session_id = p_session and c.state = 'claimed'
      and (p_call is null or (c.call_id = p_call and c.attempt = p_attempt))
      and (not p_expired_only or c.claim_expires_at <= clock_timestamp())
    order by c.claim_expires_at
$$;

-- Deletes the inputs and results of a run that is over.
create or replace function svc_forget_call_texts(p_session uuid)
returns void
language sql
as $$
  delete from tool_call_payloads where session_id = p_session and kind in ('input', 'result')
$$;
