-- What runs were granted of the network: waiting for a person, coming into force, ending.

-- Parks a run that was just created until a person authorizes its network: the grant, the question and the status,
-- which moves silently. The question is no call of a tool, so it is counted as none.
create or replace function svc_park_run(
  p_tenant uuid, p_session uuid, p_approval uuid, p_digest text, p_grant_expires_at timestamptz, p_ttl_secs float8,
  p_summary text, p_reason text
)
returns void
language plpgsql
as $$
declare
  asked_at timestamptz := clock_timestamp();
begin
  perform svc_lock_head(p_session);
  update sessions set status = 'awaiting_authorization', status_reason = 'awaiting network grant authorization',
    updated_at = asked_at where id = p_session and status = 'created';
  if not found then raise exception 'run % cannot wait for an authorization', p_session; end if;
  insert into network_grants (session_id, tenant_id, status, grant_digest, expires_at, approval_id)
  values (p_session, p_tenant, 'pending', p_digest, p_grant_expires_at, p_approval);
  insert into approvals (
    id, tenant_id, session_id, tool_call_id, tool, summary, input_digest, risk, scope, scope_key, status, source,
    original_verdict, reason, requested_at, expires_at
  )
  values (
    p_approval, p_tenant, p_session, 'network-grant', 'network.grant', p_summary, p_digest, 'network', 'once',
    'network.grant', 'pending', 'network', 'require_approval', p_reason, asked_at,
    date_trunc('milliseconds', asked_at + make_interval(secs => p_ttl_secs))
  );
end
$$;

-- A run that waits, with its grant and the answer of whoever was asked; nulls where these are gone.
create or replace function svc_read_parked_run(p_session uuid)
returns table (
  run_spec jsonb, created_at timestamptz, at timestamptz, grant_digest text, approval_status text, approved_digest text
)
language sql stable
as $$
  select s.run_spec, s.created_at, clock_timestamp(), g.grant_digest, a.status, a.input_digest
    from sessions s
    left join network_grants g on g.session_id = s.id and g.status = 'pending'
    left join approvals a on a.id = g.approval_id and a.session_id = s.id
    where s.id = p_session
$$;

-- Puts an authorized grant in force; false when it does not wait any more.
create or replace function svc_activate_grant(p_session uuid)
returns boolean
language plpgsql
as $$
begin
  update network_grants set status = 'active', decided_at = clock_timestamp()
    where session_id = p_session and status = 'pending';
  return found;
end
$$;

-- A grant whose time is over stops being in force, once: only who does it appends the event. False: it was not due, or
-- its run has ended and its grant with it.
create or replace function svc_expire_grant(
  p_tenant uuid, p_session uuid, p_reason text, p_bodies text[], p_digests text[]
)
returns boolean
language plpgsql
as $$
begin
  perform set_config('service.tenant_id', p_tenant::text, true);
  perform svc_lock_head(p_session);
  update network_grants set status = 'revoked', reason = p_reason, decided_at = clock_timestamp()
    where session_id = p_session and status = 'active' and expires_at <= clock_timestamp();
  if not found then return false; end if;
  perform svc_append(p_session, p_bodies, p_digests);
  return true;
end
$$;

-- Ends a grant, once: ended for the one call that did it, over when it was ended before, none for a run without one.
create or replace function svc_end_grant(p_session uuid, p_status text, p_reason text)
returns text
language plpgsql
as $$
begin
  perform svc_lock_head(p_session);
  update network_grants set status = p_status, reason = p_reason, decided_at = clock_timestamp()
    where session_id = p_session and status in ('pending', 'active');
  if found then return 'ended'; end if;
  return case when exists (select from network_grants where session_id = p_session) then 'over' else 'none' end;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Runs whose grant is in force and past its end.
create or replace function svc_list_expired_grants(p_limit int)
returns table (organization_id uuid, session_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select g.tenant_id, g.session_id from network_grants g
    where g.status = 'active' and g.expires_at <= clock_timestamp() order by g.expires_at limit p_limit
$$;

revoke all on function svc_list_expired_grants from public;
grant execute on function svc_list_expired_grants to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
