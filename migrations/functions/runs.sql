-- Who is admitted to a run, its signs of life, and the look-ups of runs across organizations.

create or replace function svc_is_terminal(p_status text)
returns boolean
language sql immutable parallel safe
as $$ select p_status in ('completed', 'failed', 'cancelled', 'budget_exceeded') $$;

create or replace function svc_accepts_work(p_status text)
returns boolean
language sql immutable parallel safe
as $$ select p_status in ('created', 'provisioning', 'initializing', 'running', 'awaiting_approval') $$;

-- Admission of one runner request: null when served, else the refusal. Sets the organization, locks the head row.
create or replace function svc_admit(p_token text, p_audience text, p_tenant uuid, p_session uuid, p_spec_digest text)
returns text
language plpgsql
as $$
declare
  token api_tokens;
  run record;
  is_ending boolean;
begin
  perform set_config('svc.tenant', p_tenant::text, true);
  select * into token from api_tokens where token_sha256 = p_token;
  if not found then return 'unauthorized'; end if;
  if token.audience <> p_audience then return 'wrong_audience'; end if;
  if token.session_id <> p_session or token.revoked_at is not null or token.expires_at <= clock_timestamp() then
    return 'unauthorized';
  end if;
  select ending into is_ending from session_heads where session_id = p_session for no key update;
  if not found then return 'not_found'; end if;
  select status, run_spec_digest into run from sessions where id = p_session;
  if is_ending or not svc_accepts_work(run.status) then return 'inactive'; end if;
  if run.run_spec_digest <> p_spec_digest then return 'reload'; end if;
  return null;
end
$$;

-- The head of a run that takes calls with this token and was frozen as the caller knows it; nothing for any other.
-- Calls of a group are looked up one by one: as a join, the planner may begin with all rows of the organization.
create or replace function svc_admitted_head(
  p_session uuid, p_token text, p_audience text, p_spec_digest text, p_at timestamptz
)
returns setof session_heads
language sql stable
as $$
  select h.* from session_heads h
    where h.session_id = p_session and not h.ending
      and exists (select 1 from api_tokens t
        where t.token_sha256 = p_token and t.audience = p_audience and t.session_id = p_session
          and t.revoked_at is null and t.expires_at > p_at)
      and exists (select 1 from sessions s
        where s.id = p_session and svc_accepts_work(s.status) and s.run_spec_digest = p_spec_digest)
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
  perform set_config('svc.tenant', p_tenant::text, true);
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
  from api_tokens t where t.token_sha256 = p_sha256
$$;

create or replace function svc_list_unfinished_runs(p_after uuid, p_limit int)
returns table (
  organization_id uuid, session_id uuid, status text, host_id uuid, has_intent boolean, created_at timestamptz,
  updated_at timestamptz
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
