-- What becomes of the commands that prepare workspaces.

-- Why the last setup of a run fell short, as its runner told it; null when it told nothing.
create or replace function svc_read_setup_end(p_session uuid)
returns text
language sql stable
as $$
  select payload #>> '{data,reason}' from events
    where session_id = p_session and type = 'setup.finished' order by seq desc limit 1
$$;

-- What is kept of a setup under a key on a host, and from now on used by one more run.
create or replace function svc_use_setup_layer(p_host uuid, p_key text)
returns table (id uuid, content_digest text, made_by uuid)
language sql
as $$
  update setup_layers l set last_used_at = clock_timestamp()
    where l.host_id = p_host and l.key_digest = p_key and l.state = 'ready'
    returning l.id, l.content_digest, l.made_by
$$;

-- Whether the run is the one to make what is kept under a key: there is nothing yet, what there was is broken, or the
-- one who began has not finished for hours.
create or replace function svc_claim_setup_layer(p_id uuid, p_tenant uuid, p_host uuid, p_key text, p_run uuid)
returns boolean
language sql
as $$
  with claimed as (
    insert into setup_layers (id, tenant_id, host_id, key_digest, state, made_by)
    values (p_id, p_tenant, p_host, p_key, 'building', p_run)
    on conflict (host_id, tenant_id, key_digest) do update set
      id = excluded.id, state = 'building', content_digest = null, bytes = null, files = null,
      made_by = excluded.made_by, created_at = clock_timestamp(), last_used_at = clock_timestamp()
      where setup_layers.state = 'broken'
         or (setup_layers.state = 'building'
             and (setup_layers.made_by = excluded.made_by
                  or setup_layers.created_at < clock_timestamp() - interval '6 hours'))
    returning 1)
  select exists (select from claimed)
$$;

-- Whether what a run made is now kept: not where another run took the key over meanwhile.
create or replace function svc_keep_setup_layer(p_id uuid, p_digest text, p_bytes bigint, p_files int)
returns boolean
language sql
as $$
  with kept as (
    update setup_layers set state = 'ready', content_digest = p_digest, bytes = p_bytes, files = p_files,
      last_used_at = clock_timestamp()
      where id = p_id and state = 'building' returning 1)
  select exists (select from kept)
$$;

-- The key is free again: nothing came of it, or its image is not what it was.
create or replace function svc_drop_setup_layer(p_id uuid)
returns void
language sql
as $$
  delete from setup_layers where id = p_id
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- What a host keeps of all organizations, used longest ago first.
create or replace function svc_list_setup_layers(p_host uuid)
returns table (id uuid, state text, bytes bigint, stale boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select l.id, l.state, coalesce(l.bytes, 0), l.created_at < clock_timestamp() - interval '6 hours'
  from setup_layers l where l.host_id = p_host order by l.last_used_at
$$;

create or replace function svc_forget_setup_layers(p_host uuid, p_ids uuid[])
returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  delete from setup_layers where host_id = p_host and id = any (p_ids)
$$;

revoke all on function svc_list_setup_layers, svc_forget_setup_layers from public;
grant execute on function svc_list_setup_layers, svc_forget_setup_layers to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
