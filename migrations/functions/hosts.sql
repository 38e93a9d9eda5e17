-- Sandbox hosts, and the uids that their runs get.

-- Registers a host or refreshes it.
create or replace function svc_see_host(p_id uuid, p_name text, p_capacity int, p_provider text, p_harnesses text[])
returns void
language sql
as $$
  insert into hosts (id, name, capacity, provider, harnesses)
  values (p_id, p_name, p_capacity, p_provider, p_harnesses)
  on conflict (id) do update set name = excluded.name, capacity = excluded.capacity, provider = excluded.provider,
    harnesses = excluded.harnesses, last_seen_at = clock_timestamp()
$$;

create or replace function svc_list_hosts(p_within_secs float8)
returns setof hosts
language sql stable
as $$
  select * from hosts where last_seen_at > clock_timestamp() - make_interval(secs => p_within_secs) order by id
$$;

-- Harnesses of the hosts online, or of all known ones while none is.
create or replace function svc_list_runnable_harnesses(p_within_secs float8)
returns setof text
language sql stable
as $$
  with known as (
    select harnesses, last_seen_at > clock_timestamp() - make_interval(secs => p_within_secs) as online from hosts
  )
  select distinct unnest(harnesses) from known where online or not exists (select from known where online)
$$;

create or replace function svc_note_harnesses(p_host uuid, p_harnesses text[])
returns boolean
language plpgsql
as $$
begin
  update hosts set harnesses = p_harnesses where id = p_host;
  return found;
end
$$;

-- The uid that the run has already, or the lowest free one of the range; null when none is free. Of two runs that take
-- the same one at once, one fails on the primary key and asks again.
create or replace function svc_claim_sandbox_uid(p_host uuid, p_session uuid, p_base int, p_count int)
returns int
language sql
as $$
  with held as (
    select uid from sandbox_uids where session_id = p_session
  ), free as (
    select candidate as uid from generate_series(p_base, p_base + p_count - 1) candidate
      where not exists (select from held)
        and not exists (select from sandbox_uids u where u.host_id = p_host and u.uid = candidate)
      order by candidate limit 1
  ), made as (
    insert into sandbox_uids (uid, host_id, session_id) select uid, p_host, p_session from free returning uid
  )
  select uid from held union all select uid from made
$$;

create or replace function svc_release_sandbox_uid(p_session uuid)
returns void
language sql
as $$
  delete from sandbox_uids where session_id = p_session
$$;
