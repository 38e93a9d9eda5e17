-- Who has to be told of an approval, and whose calls it is about.

-- What a notice says. open: it still waits, by the database's clock. told: an earlier notice came to an end.
create or replace function svc_read_notice_subject(p_approval uuid)
returns table (
  approval_id uuid, session_id uuid, agent text, tool text, risk text, requested_at timestamptz, expires_at timestamptz,
  open boolean, told boolean
)
language sql stable
as $$
  select a.id, a.session_id, g.name, a.tool, a.risk, a.requested_at, a.expires_at,
         a.status = 'pending' and a.expires_at > clock_timestamp(), coalesce(n.state <> 'retrying', false)
    from approvals a join sessions s on s.id = a.session_id join agents g on g.id = s.agent_id
    left join approval_notices n on n.approval_id = a.id
    where a.id = p_approval
$$;

create or replace function svc_list_unnoticed(p_session uuid)
returns setof uuid
language sql stable
as $$
  select a.id from approvals a left join approval_notices n on n.approval_id = a.id
    where a.session_id = p_session and a.status = 'pending' and (n.approval_id is null or n.state = 'retrying')
$$;

-- What became of a notice. One that came to an end stays as it is.
create or replace function svc_record_notice(
  p_tenant uuid, p_session uuid, p_approval uuid, p_state text, p_attempts int, p_error text
)
returns void
language sql
as $$
  insert into approval_notices (approval_id, tenant_id, session_id, state, attempts, last_error)
  values (p_approval, p_tenant, p_session, p_state, p_attempts, p_error)
  on conflict (approval_id) do update
    set state = excluded.state, attempts = excluded.attempts, last_error = excluded.last_error,
        updated_at = clock_timestamp()
    where approval_notices.state = 'retrying'
$$;

-- Of asked calls: the slot that would serve each, and the owner of its connection as it was frozen and as it is now.
create or replace function svc_read_asked_calls(p_approvals uuid[])
returns table (
  id uuid, tool text, invoked_by_user_id uuid, slot text, frozen_owner_type text, frozen_owner_user_id uuid,
  current_owner_type text, current_owner_user_id uuid
)
language sql stable
as $$
  select a.id, a.tool, s.invoked_by_user_id, f.slot, b.connection_owner_type, b.connection_owner_user_id,
         c.owner_type, c.owner_user_id
    from approvals a join sessions s on s.id = a.session_id
    left join lateral (
      select tool_set ->> 'slot' as slot, tool_set ->> 'binding_id' as binding_id
        from jsonb_array_elements(s.run_spec -> 'brokered') as tool_set
        where starts_with(a.tool, 'mcp__' || (tool_set ->> 'slot') || '__') limit 1) f on true
    left join run_resource_bindings b
      on b.session_id = s.id and b.slot_kind = 'mcp' and b.requirement_slot = f.slot and b.id::text = f.binding_id
    left join integration_connections c on c.id = b.connection_id
    where a.id = any (p_approvals)
$$;
