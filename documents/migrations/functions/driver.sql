-- The outbox of workflows and its relay.

create or replace function docsvc_insert_outbox(p_org uuid, p_kind text, p_subject uuid, p_workflow_name text)
returns bigint
language sql
as $$
  insert into driver_outbox (org_id, kind, subject_id, workflow_name)
    values (p_org, p_kind, p_subject, p_workflow_name) returning id
$$;

-- Across organizations. These run as docsvc_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to docsvc_system;
set local role docsvc_system;

create or replace function docsvc_read_outbox(p_older_than_ms int, p_limit int)
returns table (id bigint, org_id uuid, kind text, subject_id uuid, workflow_name text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select o.id, o.org_id, o.kind, o.subject_id, o.workflow_name from driver_outbox o
  where o.created_at <= clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
    and (o.retry_at is null or o.retry_at <= clock_timestamp())
  order by o.attempts, o.id limit p_limit
$$;

create or replace function docsvc_delete_outbox(p_ids bigint[])
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  delete from driver_outbox where id = any (p_ids)
$$;

-- 2 s after the first refusal, twice as long after each further one, at most five minutes.
create or replace function docsvc_defer_outbox(p_ids bigint[])
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  update driver_outbox set attempts = attempts + 1,
    retry_at = clock_timestamp() + make_interval(secs => least(300, 2 ^ least(attempts + 1, 10)))
    where id = any (p_ids)
$$;

revoke all on function docsvc_read_outbox, docsvc_delete_outbox, docsvc_defer_outbox from public;
grant execute on function docsvc_read_outbox, docsvc_delete_outbox, docsvc_defer_outbox to docsvc_app;
reset role;
revoke create on schema public from docsvc_system;
