-- Admission. One pass admits every run that fits, so the order does not depend on whose workflow asks first, and a run
-- whose workflow is away blocks nobody. In line are runs that are created or queued, hold no place and are not ending:
-- by creation inside an organization, and organizations in rotation, the least recently admitted first. A place is
-- granted here; the run's own workflow moves it. A run that needs a harness which no host online has is passed over,
-- and so are those of a suspended organization. Lock order: admission lock (passes and recounts only), head row,
-- session row, organization counter, deployment counter.

-- One pass or recount at a time.
create or replace function svc_lock_admission()
returns void
language sql
as $$ select pg_advisory_xact_lock(hashtext('sandgate.admission')) $$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Grants places to those next in line, at most p_limit, and leaves a wake-up for each; returns the wake-ups.
create or replace function svc_admit_waiting(p_global_max int, p_tenant_max int, p_seen_within_secs int, p_limit int)
returns setof driver_outbox
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  room int;
  candidate record;
  place uuid;
  runs uuid[] := '{}';
  tenants uuid[] := '{}';
  admissions bigint[] := '{}';
begin
  perform svc_lock_admission();
  room := least(p_limit, p_global_max - (select active from capacity_counters where scope = 'deployment'));
  if room <= 0 then return; end if;
  for candidate in
    select c.scope::uuid as tenant, s.id, s.refused_by, s.harness, s.home_host from capacity_counters c
    cross join lateral (
      select w.id, w.created_at, w.refused_by, w.harness, w.home_host,
        row_number() over (order by w.created_at, w.id) as round
      from (
        select q.id, q.created_at, q.refused_by, q.harness, q.home_host from sessions q
        where q.tenant_id = c.scope::uuid and q.status in ('created', 'queued') and not q.capacity_held
          and (q.not_before is null or q.not_before <= clock_timestamp())
          and not exists (select from session_finalizations f where f.session_id = q.id)
          and exists (select from hosts h where q.harness = any (h.harnesses)
            and (q.home_host is null or q.home_host = h.id)
            and h.last_seen_at > clock_timestamp() - make_interval(secs => p_seen_within_secs))
        order by q.created_at, q.id limit greatest(0, least(room, p_tenant_max - c.active))
      ) w
    ) s
    where c.scope <> 'deployment'
      and exists (select from tenants o where o.id::text = c.scope and o.status = 'active')
    order by s.round, c.last_admission, s.created_at, s.id
  loop
    exit when cardinality(runs) >= room;
    -- Behind the row's lock, since somebody may end the run at this moment.
    perform 1 from sessions where id = candidate.id and status in ('created', 'queued') and not capacity_held
      for no key update;
    continue when not found or exists (select from session_finalizations f where f.session_id = candidate.id);
    select h.id into place from hosts h
      cross join lateral (select count(*)::int as taken from sessions s where s.host_id = h.id and s.capacity_held) t
      where h.last_seen_at > clock_timestamp() - make_interval(secs => p_seen_within_secs) and t.taken < h.capacity
        and candidate.harness = any (h.harnesses)
        and (candidate.home_host is null or candidate.home_host = h.id)
      order by h.id is not distinct from candidate.refused_by, h.capacity - t.taken desc, h.id limit 1;
    if place is null then
      -- The hosts that have this harness may be full while others are not.
      exit when not exists (select from hosts h
        cross join lateral (select count(*)::int as taken from sessions s where s.host_id = h.id and s.capacity_held) t
        where h.last_seen_at > clock_timestamp() - make_interval(secs => p_seen_within_secs) and t.taken < h.capacity);
      continue;
    end if;
    update sessions set capacity_held = true, host_id = place, admitted_at = clock_timestamp(),
      updated_at = clock_timestamp() where id = candidate.id;
    runs := runs || candidate.id;
    tenants := tenants || candidate.tenant;
    admissions := admissions || nextval('capacity_admissions');
  end loop;
  perform 1 from capacity_counters c where c.scope <> 'deployment' and c.scope = any (tenants::text[])
    order by c.scope for update;
  perform 1 from capacity_counters c where c.scope = 'deployment' for update;
  update capacity_counters c set active = c.active + g.runs, last_admission = g.last_admission,
      updated_at = clock_timestamp()
    from (select t.tenant::text as scope, count(*)::int as runs, max(t.last_admission) as last_admission
          from unnest(tenants, admissions) as t (tenant, last_admission) group by t.tenant) g
    where c.scope = g.scope;
  update capacity_counters c set active = c.active + cardinality(runs), updated_at = clock_timestamp()
    where c.scope = 'deployment' and cardinality(runs) > 0;
  return query insert into driver_outbox (tenant_id, subject_id, kind)
    select g.tenant, g.run, 'capacity' from unnest(tenants, runs) with ordinality as g (tenant, run, place)
    order by g.place returning *;
end
$$;

-- Gives a run's place back, once; true when it had one. Whoever calls it runs a pass after the commit.
create or replace function svc_release_capacity(p_tenant uuid, p_session uuid)
returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform 1 from session_heads where session_id = p_session and tenant_id = p_tenant for no key update;
  update sessions set capacity_held = false where id = p_session and tenant_id = p_tenant and capacity_held;
  if not found then return false; end if;
  perform 1 from capacity_counters where scope = p_tenant::text for update;
  perform 1 from capacity_counters where scope = 'deployment' for update;
  update capacity_counters set active = greatest(0, active - 1), updated_at = clock_timestamp()
    where scope in (p_tenant::text, 'deployment');
  return true;
end
$$;

-- How many more runs of the organization would be admitted at once, less those of its runs that are in line.
create or replace function svc_free_places(p_tenant uuid, p_global_max int, p_tenant_max int, p_seen_within_secs int)
returns int
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select (greatest(0, least(
      p_tenant_max - coalesce((select active from capacity_counters where scope = p_tenant::text), 0),
      p_global_max - (select active from capacity_counters where scope = 'deployment'),
      (select coalesce(sum(greatest(0, h.capacity - t.taken)), 0) from hosts h
       cross join lateral (select count(*)::int as taken from sessions s where s.host_id = h.id and s.capacity_held) t
       where h.last_seen_at > clock_timestamp() - make_interval(secs => p_seen_within_secs))))
    - (select count(*) from sessions
       where tenant_id = p_tenant and status in ('created', 'queued') and not capacity_held))::int
$$;

-- Sets places and both kinds of counters to what the runs say; returns how many were wrong.
create or replace function svc_recount_capacity()
returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  released int;
  missed int;
  wrong int;
begin
  perform svc_lock_admission();
  update sessions set capacity_held = false where capacity_held and svc_is_terminal(status);
  get diagnostics released = row_count;
  update sessions set capacity_held = true where not capacity_held
    and status in ('provisioning', 'initializing', 'running', 'awaiting_approval', 'cancelling', 'finalizing')
    and host_id is not null;
  get diagnostics missed = row_count;
  -- The counters are locked before the runs are counted, so that no release is in between.
  perform 1 from capacity_counters where scope <> 'deployment' order by scope for update;
  perform 1 from capacity_counters where scope = 'deployment' for update;
  with truth as (
    select c.scope, count(s.id)::int as active from capacity_counters c
    left join sessions s on s.capacity_held and (c.scope = 'deployment' or s.tenant_id::text = c.scope)
    group by c.scope
  )
  update capacity_counters c set active = truth.active, updated_at = clock_timestamp()
    from truth where truth.scope = c.scope and truth.active <> c.active;
  get diagnostics wrong = row_count;
  return released + missed + wrong;
end
$$;

revoke all on function svc_admit_waiting, svc_release_capacity, svc_free_places, svc_recount_capacity from public;
grant execute on function
  svc_admit_waiting, svc_release_capacity, svc_free_places, svc_recount_capacity
  to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
