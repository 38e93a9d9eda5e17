-- Who is admitted to a run, its signs of life, and the look-ups of runs across organizations.

create or replace function svc_is_terminal(p_status text)
returns boolean
language sql immutable parallel safe
as $$ select p_status in ('completed', 'failed', 'cancelled', 'budget_exceeded') $$;

create or replace function svc_accepts_work(p_status text)
returns boolean
language sql immutable parallel safe
as $$ select p_status in ('created', 'provisioning', 'initializing', 'running', 'awaiting_approval') $$;

-- Whether a request of a runner is served, by its token and by the run's row and head: refusal is null when it is. The
-- caller has set the organization and locked the head. Requests of a group are looked up one by one: as a join, the
-- planner may begin with all rows of the organization.
create or replace function svc_admission(
  p_session uuid, p_token text, p_audience text, p_spec_digest text, p_at timestamptz
)
returns table (refusal text, head session_heads)
language sql stable
as $$
  select case
      when t.id is null then 'unauthorized'
      when t.audience <> p_audience then 'wrong_audience'
      when t.session_id <> p_session or t.revoked_at is not null or t.expires_at <= p_at then 'unauthorized'
      when s.id is null or h.session_id is null then 'not_found'
      when h.ending or not svc_accepts_work(s.status) then 'inactive'
      when s.run_spec_digest <> p_spec_digest then 'reload'
    end, h
  from (values (p_session)) as r (id)
  left join api_tokens t on t.token_sha256 = p_token and t.kind = 'session'
  left join session_heads h on h.session_id = r.id
  left join sessions s on s.id = r.id
  limit 1
$$;

-- The status of the run as its runner sees it: a finalization request counts before the driver has moved the run.
-- Null when the organization has none of that id.
create or replace function svc_heartbeat(p_tenant uuid, p_session uuid)
returns text
language plpgsql
as $$
declare
  is_ending boolean;
  present text;
begin
  perform set_config('service.tenant_id', p_tenant::text, true);
  update session_heads set last_heartbeat_at = clock_timestamp() where session_id = p_session
    returning ending into is_ending;
  select status into present from sessions where id = p_session;
  if is_ending and svc_accepts_work(present) then
    return (select case when needs_quiesce then 'cancelling' else 'finalizing' end
            from session_finalizations where session_id = p_session);
  end if;
  return present;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

create or replace function svc_lookup_run_token(p_sha256 text)
returns table (token_id uuid, organization_id uuid, session_id uuid, audience text, expired boolean, revoked boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select t.id, t.tenant_id, t.session_id, t.audience,
         coalesce(t.expires_at <= clock_timestamp(), false), t.revoked_at is not null
  from api_tokens t where t.token_sha256 = p_sha256 and t.kind = 'session'
$$;

create or replace function svc_list_unfinished_runs(p_after uuid, p_limit int)
returns table (
  organization_id uuid, session_id uuid, status text, host_id uuid, has_finalization_request boolean,
  created_at timestamptz, updated_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select s.tenant_id, s.id, s.status, s.host_id, f.session_id is not null, s.created_at, s.updated_at
  from sessions s left join session_finalizations f on f.session_id = s.id
  where s.status not in ('completed', 'failed', 'cancelled', 'budget_exceeded')
    and (p_after is null or s.id > p_after)
  order by s.id limit p_limit
$$;

-- Terminal runs whose cleanup is not confirmed: the finalization request is still there.
create or replace function svc_list_uncleaned_runs(p_limit int)
returns table (organization_id uuid, session_id uuid, status text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select s.tenant_id, s.id, s.status from session_finalizations f join sessions s on s.id = f.session_id
  where s.status in ('completed', 'failed', 'cancelled', 'budget_exceeded') order by f.created_at limit p_limit
$$;

create or replace function svc_list_host_runs(p_host uuid)
returns table (organization_id uuid, session_id uuid, status text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select s.tenant_id, s.id, s.status from sessions s
  where s.host_id = p_host and s.status not in ('completed', 'failed', 'cancelled', 'budget_exceeded')
$$;

create or replace function svc_find_runs(p_ids uuid[])
returns table (organization_id uuid, session_id uuid, status text, host_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select s.tenant_id, s.id, s.status, s.host_id from sessions s where s.id = any (p_ids)
$$;

revoke all on function
  svc_lookup_run_token, svc_list_unfinished_runs, svc_list_uncleaned_runs, svc_list_host_runs, svc_find_runs
  from public;
grant execute on function
  svc_lookup_run_token, svc_list_unfinished_runs, svc_list_uncleaned_runs, svc_list_host_runs, svc_find_runs
  to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
