-- A run from its creation to its end: locks, moves, launches, tokens, and the finalization requests that end it.

-- What every append and every change of a run locks first.
create or replace function svc_lock_head(p_session uuid)
returns void
language plpgsql
as $$
begin
  perform 1 from session_heads where session_id = p_session for no key update;
end
$$;

-- Locks the head row and then the run; its status, null when the organization has none of that id.
create or replace function svc_lock_run(p_session uuid)
returns text
language plpgsql
as $$
declare
  present text;
begin
  perform svc_lock_head(p_session);
  select status into present from sessions where id = p_session for no key update;
  return present;
end
$$;

create or replace function svc_revoke_run_tokens(p_session uuid)
returns void
language sql
as $$
  update api_tokens set revoked_at = clock_timestamp() where session_id = p_session and revoked_at is null
$$;

-- Moves a run that the caller has locked. How long it waited for its place, and since when it runs, in seconds.
create or replace function svc_move_run(p_session uuid, p_to text, p_reason text)
returns table (waited float8, ran float8)
language plpgsql
as $$
begin
  return query
    update sessions set status = p_to, status_reason = p_reason, updated_at = clock_timestamp(),
        queued_at = case when p_to = 'queued' then clock_timestamp() else queued_at end,
        host_id = case when p_to = 'queued' then null else host_id end,
        started_at = case when p_to = 'running' then coalesce(started_at, clock_timestamp()) else started_at end,
        finished_at = case when svc_is_terminal(p_to) then clock_timestamp() else finished_at end
      where id = p_session
      returning extract(epoch from clock_timestamp() - coalesce(queued_at, created_at))::float8,
                extract(epoch from clock_timestamp() - started_at)::float8;
  if svc_is_terminal(p_to) then perform svc_revoke_run_tokens(p_session); end if;
end
$$;

-- Replaces the tokens of a run. Only digests are kept.
create or replace function svc_mint_run_tokens(
  p_tenant uuid, p_session uuid, p_ttl_secs float8, p_ids uuid[], p_audiences text[], p_digests text[]
)
returns void
language plpgsql
as $$
begin
  perform svc_revoke_run_tokens(p_session);
  insert into api_tokens (id, tenant_id, session_id, audience, token_sha256, expires_at)
  select t.id, p_tenant, p_session, t.audience, t.digest, clock_timestamp() + make_interval(secs => p_ttl_secs)
    from unnest(p_ids, p_audiences, p_digests) as t (id, audience, digest);
end
$$;

create or replace function svc_renew_run_tokens(p_session uuid, p_ttl_secs float8)
returns boolean
language plpgsql
as $$
begin
  update api_tokens set expires_at = clock_timestamp() + make_interval(secs => p_ttl_secs)
    where session_id = p_session and revoked_at is null;
  return found;
end
$$;

-- Locks a run that is being launched, and reads what its host needs. stopping: its end is recorded.
create or replace function svc_read_launch(p_session uuid)
returns table (status text, run_spec jsonb, base_commit text, stopping boolean)
language plpgsql
as $$
begin
  perform svc_lock_run(p_session);
  return query
    select s.status, s.run_spec, s.base_commit,
           exists (select 1 from session_finalizations f where f.session_id = s.id)
      from sessions s where s.id = p_session;
end
$$;

-- The sandbox of a run is up: its heartbeats count from now.
create or replace function svc_attach_sandbox(p_session uuid, p_handle jsonb)
returns void
language sql
as $$
  update sessions set sandbox_handle = p_handle where id = p_session;
  update session_heads set last_heartbeat_at = now() where session_id = p_session;
$$;

-- A launch was refused for lack of room, by the host that the run was given. How many were, with this one.
create or replace function svc_count_launch_attempt(p_session uuid)
returns int
language sql
as $$
  update sessions set launch_attempts = launch_attempts + 1, refused_by = host_id where id = p_session
    returning launch_attempts
$$;

create or replace function svc_count_launch_fault(p_session uuid)
returns int
language sql
as $$
  update sessions set launch_faults = launch_faults + 1 where id = p_session returning launch_faults
$$;

create or replace function svc_postpone_launch(p_session uuid, p_secs float8)
returns void
language sql
as $$
  update sessions set not_before = clock_timestamp() + make_interval(secs => p_secs) where id = p_session
$$;

-- Whether a waiting run has its place, and whether a host is online at all, or one with its harness; what is left of
-- its network grant, of which an offline run has none.
create or replace function svc_read_place(p_session uuid, p_within_secs float8)
returns table (
  capacity_held boolean, host_id uuid, host_online boolean, harness text, harness_online boolean,
  grant_status text, grant_left_secs float8, wall_clock_secs float8
)
language sql stable
as $$
  select s.capacity_held, s.host_id, o.host_online, s.harness, o.harness_online,
         g.status, extract(epoch from g.expires_at - clock_timestamp())::float8,
         (s.run_spec -> 'budgets' ->> 'max_wall_clock_secs')::float8
    from sessions s
    left join network_grants g on g.session_id = s.id
    cross join lateral (
      select count(*) > 0 as host_online, coalesce(bool_or(s.harness = any (h.harnesses)), false) as harness_online
        from hosts h where h.last_seen_at > clock_timestamp() - make_interval(secs => p_within_secs)) o
    where s.id = p_session
$$;

-- Milliseconds until a queued run should ask again by itself: its wait in the queue ends, or a postponed launch is due.
create or replace function svc_next_launch_ms(p_session uuid, p_queue_ttl_secs float8)
returns float8
language sql stable
as $$
  select (extract(epoch from least(queued_at + make_interval(secs => p_queue_ttl_secs),
            case when not_before > clock_timestamp() then not_before end) - clock_timestamp()) * 1000)::float8
    from sessions where id = p_session
$$;

-- Records why a locked run ends; false when that is recorded already. Only a run with a sandbox needs to be quiesced.
create or replace function svc_request_finalization(
  p_session uuid, p_outcome text, p_posted_outcome text, p_summary text, p_reason text, p_wants_quiesce boolean,
  p_quiesce_secs float8
)
returns boolean
language plpgsql
as $$
begin
  insert into session_finalizations
    (session_id, tenant_id, outcome, posted_outcome, summary, reason, needs_quiesce, quiesce_deadline)
  select s.id, s.tenant_id, p_outcome, p_posted_outcome, p_summary, p_reason, quiesce.needed,
         case when quiesce.needed then clock_timestamp() + make_interval(secs => p_quiesce_secs) end
    from sessions s,
         lateral (select p_wants_quiesce and s.status in ('running', 'awaiting_approval')
                    and s.sandbox_handle is not null as needed) quiesce
    where s.id = p_session
  on conflict (session_id) do nothing;
  return found;
end
$$;

-- The wall-clock cap of a run and how long it has been running, in seconds.
create or replace function svc_read_wall_clock(p_session uuid)
returns table (cap float8, secs float8)
language sql stable
as $$
  select (run_spec -> 'budgets' ->> 'max_wall_clock_secs')::float8,
         floor(extract(epoch from clock_timestamp() - started_at))::float8
    from sessions where id = p_session
$$;

-- Locks the head row, and says whether the ledger has it already that a limit was reached.
create or replace function svc_is_limit_recorded(p_session uuid, p_limit text)
returns boolean
language plpgsql
as $$
begin
  perform svc_lock_head(p_session);
  return exists (select 1 from events where session_id = p_session and type = 'run.limit_reached'
    and payload -> 'data' ->> 'limit' = p_limit);
end
$$;

-- Counts an event that a runner posts: null, or why not: the limit that it would exceed, or there is no such run.
create or replace function svc_count_runner_event(p_session uuid, p_max_events bigint, p_max_bytes bigint)
returns text
language plpgsql
as $$
declare
  head record;
begin
  select runner_events, ledger_bytes into head from session_heads where session_id = p_session for no key update;
  if not found then return 'no_run'; end if;
  if head.runner_events >= p_max_events then return 'event_count'; end if;
  if head.ledger_bytes >= p_max_bytes then return 'ledger_size'; end if;
  update session_heads set runner_events = runner_events + 1 where session_id = p_session;
  return null;
end
$$;

-- Claims an idempotency key, or reads who holds it; nothing when it was released in between.
create or replace function svc_claim_key(p_tenant uuid, p_scope text, p_key text, p_body_digest text, p_session uuid)
returns table (claimed boolean, body_digest text, session_id uuid, result jsonb)
language plpgsql
as $$
begin
  insert into idempotency_keys (tenant_id, scope, key, body_digest, session_id)
  values (p_tenant, p_scope, p_key, p_body_digest, p_session) on conflict do nothing;
  if found then
    return query select true, p_body_digest, p_session, null::jsonb;
    return;
  end if;
  return query
    select false, k.body_digest, k.session_id, k.result from idempotency_keys k
      where k.tenant_id = p_tenant and k.scope = p_scope and k.key = p_key;
end
$$;

-- What is answered to whoever comes with the same key again.
create or replace function svc_keep_key_result(p_tenant uuid, p_scope text, p_key text, p_result jsonb)
returns void
language sql
as $$
  update idempotency_keys set result = p_result where tenant_id = p_tenant and scope = p_scope and key = p_key
$$;
