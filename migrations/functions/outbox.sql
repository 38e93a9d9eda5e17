-- Wake-ups of workflows and their relay, and what processes tell each other.

create or replace function svc_insert_outbox(p_tenant uuid, p_subject uuid, p_kind text)
returns bigint
language sql
as $$
  insert into driver_outbox (tenant_id, subject_id, kind) values (p_tenant, p_subject, p_kind) returning id
$$;

-- The transaction holds nothing but the notification, which no crash survives anyway: it need not wait for the disk.
create or replace function svc_notify(p_channel text, p_payloads text[])
returns void
language plpgsql
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_notify(p_channel, payload) from unnest(p_payloads) as payload;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

create or replace function svc_read_outbox(p_older_than_ms int, p_limit int)
returns table (id bigint, organization_id uuid, subject_id uuid, kind text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select o.id, o.tenant_id, o.subject_id, o.kind from driver_outbox o
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
