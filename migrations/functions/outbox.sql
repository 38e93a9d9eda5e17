-- The relay of wake-ups.

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

create or replace function svc_read_outbox(p_older_than_ms int, p_limit int)
returns table (id bigint, organization_id uuid, session_id uuid, kind text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select o.id, o.tenant_id, o.session_id, o.kind from driver_outbox o
  where o.created_at <= clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
    and (o.retry_at is null or o.retry_at <= clock_timestamp())
  order by o.attempts, o.id limit p_limit
$$;

create or replace function svc_delete_outbox(p_ids bigint[])
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  delete from driver_outbox where id = any (p_ids)
$$;

-- 2 s after the first refusal, twice as long after each further one, at most five minutes.
create or replace function svc_defer_outbox(p_ids bigint[])
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  update driver_outbox set attempts = attempts + 1,
    retry_at = clock_timestamp() + make_interval(secs => least(300, 2 ^ least(attempts + 1, 10)))
    where id = any (p_ids)
$$;

revoke all on function svc_read_outbox, svc_delete_outbox, svc_defer_outbox from public;
grant execute on function svc_read_outbox, svc_delete_outbox, svc_defer_outbox to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
