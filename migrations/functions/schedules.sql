-- Schedules of all organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given
-- functions, and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Schedules of enabled subscriptions that were to fire by then, the oldest slot first.
create or replace function svc_list_due_schedules(p_until timestamptz, p_limit int)
returns table (organization_id uuid, subscription_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select s.tenant_id, s.subscription_id
    from schedules s join trigger_subscriptions t on t.id = s.subscription_id
    where s.next_fire_at <= p_until and t.enabled
    order by s.next_fire_at, s.id
    limit p_limit
$$;

-- Schedules that fire again, by the id of the subscription; page with the last one.
create or replace function svc_list_schedules(p_after uuid, p_limit int)
returns table (organization_id uuid, subscription_id uuid, cron text, timezone text, enabled boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select s.tenant_id, s.subscription_id, s.cron, s.timezone, t.enabled
    from schedules s join trigger_subscriptions t on t.id = s.subscription_id
    where s.next_fire_at is not null and (p_after is null or s.subscription_id > p_after)
    order by s.subscription_id
    limit p_limit
$$;

revoke all on function svc_list_due_schedules, svc_list_schedules from public;
grant execute on function svc_list_due_schedules, svc_list_schedules to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
