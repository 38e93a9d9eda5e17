-- Organizations by name, sweeps, and counts over all organizations.

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

create or replace function svc_find_organization(p_slug text)
returns setof tenants
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select * from tenants o where o.slug = p_slug
$$;

-- Oldest first, from the one after a cursor on.
create or replace function svc_list_organizations(p_after uuid, p_limit int)
returns setof tenants
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select * from tenants o
    where p_after is null or (o.created_at, o.id) > (select c.created_at, c.id from tenants c where c.id = p_after)
    order by o.created_at, o.id limit p_limit
$$;

create or replace function svc_has_identity_provider()
returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select exists (select from org_idp_configs c join tenants o on o.id = c.tenant_id
    where c.status = 'active' and o.status = 'active')
$$;

create or replace function svc_sweep_expired(p_limit int, p_idempotency_days int)
returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  swept int;
  total int := 0;
begin
  delete from tool_call_payloads where ctid = any (array(
    select ctid from tool_call_payloads where expires_at <= clock_timestamp() limit p_limit));
  get diagnostics swept = row_count; total := total + swept;
  delete from idempotency_keys where ctid = any (array(
    select ctid from idempotency_keys where created_at < clock_timestamp() - make_interval(days => p_idempotency_days)
    limit p_limit));
  get diagnostics swept = row_count; total := total + swept;
  delete from workspace_uploads where ctid = any (array(
    select ctid from workspace_uploads
    where expires_at < clock_timestamp() - make_interval(days => p_idempotency_days) limit p_limit));
  get diagnostics swept = row_count; total := total + swept;
  -- What waits for a run, or waits again since, is left alone.
  delete from trigger_deliveries where handled_at < clock_timestamp() - interval '30 days' and ctid = any (array(
    select ctid from trigger_deliveries where handled_at < clock_timestamp() - interval '30 days' limit p_limit));
  get diagnostics swept = row_count; total := total + swept;
  delete from process_leases where lease_expires_at < clock_timestamp() - interval '1 hour';
  get diagnostics swept = row_count;
  return total + swept;
end
$$;

-- Numbers only, no id leaves the function. Each part reads a partial index of what is not over yet, so that its cost
-- does not grow with the history.
create or replace function svc_measure_deployment(p_host_seen_secs int)
returns table (figure text, label text, value float8)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select 'runs', s.status, count(*)::float8 from sessions s
    where s.status not in ('completed', 'failed', 'cancelled', 'budget_exceeded') group by s.status
  union all
  select 'approvals_pending', null, count(*) from approvals where status = 'pending'
  union all
  select 'reservations_live', null, count(*) from llm_reservations where state = 'reserved'
  union all
  select 'outbox_waiting', null, count(*) from driver_outbox
  union all
  select 'hosts_online', null, count(*) from hosts
    where last_seen_at > clock_timestamp() - make_interval(secs => p_host_seen_secs)
  union all
  select 'host_capacity', null, coalesce(sum(capacity), 0) from hosts
    where last_seen_at > clock_timestamp() - make_interval(secs => p_host_seen_secs)
$$;

revoke all on function
  svc_find_organization, svc_list_organizations, svc_has_identity_provider, svc_sweep_expired, svc_measure_deployment
  from public;
grant execute on function
  svc_find_organization, svc_list_organizations, svc_has_identity_provider, svc_sweep_expired, svc_measure_deployment
  to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
