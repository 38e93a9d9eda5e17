-- Tunnels of runs: what admits them, and what they carried, by target. Names, ports and bytes; never content.

-- A process begins or ends to count connections of a run; of one that is over, it only ends. The caller has set the
-- organization.
create or replace function svc_observe_flows(p_tenant uuid, p_session uuid, p_process uuid, p_observes boolean)
returns void
language plpgsql
as $$
begin
  if p_observes then
    insert into network_observers (session_id, tenant_id, process_id)
      select s.id, p_tenant, p_process from sessions s where s.id = p_session and svc_accepts_work(s.status)
      on conflict do nothing;
  else
    delete from network_observers where session_id = p_session and process_id = p_process;
  end if;
end
$$;

-- All that a process needs to serve the tunnels of a run, which it counts from here on, in one call. ms_left: until the
-- grant ends, by this clock.
-- flows: [target, port, verdict, connections, bytes sent, bytes received], so that another process counts on.
create or replace function svc_read_tunnels(p_tenant uuid, p_session uuid, p_process uuid)
returns table (accepts_work boolean, grant_status text, grant_reason text, ms_left float8, flows jsonb)
language plpgsql
as $$
begin
  perform set_config('service.tenant_id', p_tenant::text, true), set_config('synchronous_commit', 'off', true);
  perform svc_observe_flows(p_tenant, p_session, p_process, true);
  return query
    select svc_accepts_work(s.status) and not h.ending, g.status, g.reason,
           extract(epoch from g.expires_at - clock_timestamp())::float8 * 1000,
           coalesce((select jsonb_agg(jsonb_build_array(f.target, f.port, f.verdict, f.connections, f.bytes_sent,
                                                        f.bytes_received))
                       from network_flows f where f.session_id = p_session), '[]')
      from sessions s join session_heads h on h.session_id = s.id left join network_grants g on g.session_id = s.id
      where s.id = p_session;
end
$$;

-- The first connection of a target: its row and its event, before a byte is sent. False: somebody else was first.
-- Null: the run accepts no work any more, and nothing was written.
create or replace function svc_note_flow(
  p_tenant uuid, p_session uuid, p_target text, p_port int, p_verdict text, p_bodies text[], p_digests text[]
)
returns boolean
language plpgsql
as $$
begin
  perform set_config('service.tenant_id', p_tenant::text, true);
  perform svc_lock_head(p_session);
  if not svc_run_accepts_work(p_session) then return null; end if;
  insert into network_flows (session_id, tenant_id, target, port, verdict, connections, bytes_sent, bytes_received,
                             ledgered)
    values (p_session, p_tenant, p_target, p_port, p_verdict, 1, 0, 0, cardinality(p_bodies))
    on conflict do nothing;
  if not found then return false; end if;
  if cardinality(p_bodies) > 0 then perform svc_append(p_session, p_bodies, p_digests); end if;
  return true;
end
$$;

-- Adds counts of a process to those of the run, and says what has become of the run meanwhile. p_observes: whether the
-- process counts on; false when nothing of the run is open there any more.
create or replace function svc_add_flows(
  p_tenant uuid, p_session uuid, p_process uuid, p_observes boolean, p_targets text[], p_ports int[],
  p_verdicts text[], p_connections bigint[], p_sent bigint[], p_received bigint[]
)
returns table (accepts_work boolean, grant_status text, grant_reason text, ms_left float8)
language plpgsql
as $$
begin
  perform set_config('service.tenant_id', p_tenant::text, true), set_config('synchronous_commit', 'off', true);
  insert into network_flows as f
      (session_id, tenant_id, target, port, verdict, connections, bytes_sent, bytes_received)
    select p_session, p_tenant, n.target, n.port, n.verdict, n.connections, n.sent, n.received
      from unnest(p_targets, p_ports, p_verdicts, p_connections, p_sent, p_received)
             as n (target, port, verdict, connections, sent, received)
      order by n.target, n.port, n.verdict
    on conflict (session_id, target, port, verdict) do update
      set connections = f.connections + excluded.connections, bytes_sent = f.bytes_sent + excluded.bytes_sent,
          bytes_received = f.bytes_received + excluded.bytes_received, last_at = clock_timestamp();
  perform svc_observe_flows(p_tenant, p_session, p_process, p_observes);
  return query
    select svc_accepts_work(s.status) and not h.ending, g.status, g.reason,
           extract(epoch from g.expires_at - clock_timestamp())::float8 * 1000
      from sessions s join session_heads h on h.session_id = s.id left join network_grants g on g.session_id = s.id
      where s.id = p_session;
end
$$;

-- Refused connections that the ledger does not tell of yet. They count as told from here on: the caller appends.
create or replace function svc_take_untold_denials(p_session uuid, p_named int)
returns table (suppressed bigint, distinct_targets int, top_targets text[])
language plpgsql
as $$
begin
  perform svc_lock_head(p_session);
  return query
    with untold as (
      update network_flows f set ledgered = f.connections
        from (select o.target, o.port, o.connections - o.ledgered as more from network_flows o
                where o.session_id = p_session and o.verdict = 'denied' and o.connections > o.ledgered) as n
        where f.session_id = p_session and f.verdict = 'denied' and f.target = n.target and f.port = n.port
        returning f.target, f.port, n.more
    ), ranked as (
      select u.target || ':' || u.port as name, u.more, row_number() over (order by u.more desc, u.target, u.port) as at
        from untold u
    )
    select coalesce(sum(r.more), 0)::bigint, count(*)::int,
           coalesce(array_agg(r.name order by r.at) filter (where r.at <= p_named), '{}')
      from ranked r;
end
$$;

-- What a run reached, the busiest targets first.
create or replace function svc_list_reached(p_session uuid, p_limit int)
returns table (target text, port int, connections bigint, bytes_sent bigint, bytes_received bigint)
language sql stable
as $$
  select f.target, f.port, f.connections, f.bytes_sent, f.bytes_received from network_flows f
    where f.session_id = p_session and f.verdict = 'allowed'
    order by f.bytes_sent + f.bytes_received desc, f.target, f.port limit p_limit
$$;

-- How many processes are gone that counted connections of the run and had not recorded all. They count as told from
-- here on: the caller appends.
create or replace function svc_take_lost_observers(p_session uuid)
returns int
language plpgsql
as $$
declare
  lost int;
begin
  perform svc_lock_head(p_session);
  delete from network_observers o where o.session_id = p_session and not exists (
    select from process_leases l where l.id = o.process_id and l.lease_expires_at > clock_timestamp());
  get diagnostics lost = row_count;
  return lost;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Runs of which a process that is gone has lost counts.
create or replace function svc_list_lost_observers(p_limit int)
returns table (organization_id uuid, session_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select distinct o.tenant_id, o.session_id from network_observers o where not exists (
    select from process_leases l where l.id = o.process_id and l.lease_expires_at > clock_timestamp()) limit p_limit
$$;

revoke all on function svc_list_lost_observers from public;
grant execute on function svc_list_lost_observers to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
