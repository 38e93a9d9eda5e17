-- Workspaces that clients sent: each is its owner's, for a short time, and for one run.

-- Begins one, and keeps room for it: refused names the cap that its owner's unused ones have reached. Those of one
-- owner begin one after the other.
create or replace function svc_begin_upload(
  p_tenant uuid, p_id uuid, p_owner_kind text, p_owner_user uuid, p_host uuid, p_bytes bigint, p_ttl_secs float8,
  p_most int, p_most_bytes bigint
)
returns table (refused text)
language plpgsql
as $$
declare
  unused int;
  held bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended(format('uploads:%s:%s:%s', p_tenant, p_owner_kind, p_owner_user), 0));
  select count(*), coalesce(sum(u.bytes), 0) into unused, held from workspace_uploads u
    where u.tenant_id = p_tenant and u.owner_kind = p_owner_kind and u.owner_user_id is not distinct from p_owner_user
      and u.state in ('receiving', 'ready') and u.expires_at > clock_timestamp();
  if unused >= p_most then return query select 'number'; return; end if;
  if held + p_bytes > p_most_bytes then return query select 'bytes'; return; end if;
  insert into workspace_uploads (id, tenant_id, owner_kind, owner_user_id, host_id, state, bytes, expires_at)
  values (p_id, p_tenant, p_owner_kind, p_owner_user, p_host, 'receiving', p_bytes,
    clock_timestamp() + make_interval(secs => p_ttl_secs));
  return query select null::text;
end
$$;

-- The file is whole and has been judged. No row when it took longer than it may.
create or replace function svc_finish_upload(
  p_id uuid, p_digest text, p_bytes bigint, p_files int, p_left_out int, p_base_commit text, p_ttl_secs float8
)
returns setof workspace_uploads
language sql
as $$
  update workspace_uploads set state = 'ready', digest = p_digest, bytes = p_bytes, files = p_files,
      left_out = p_left_out, base_commit = p_base_commit,
      expires_at = clock_timestamp() + make_interval(secs => p_ttl_secs)
    where id = p_id and state = 'receiving' and expires_at > clock_timestamp()
    returning *
$$;

-- Of one that failed, or that another one stands for.
create or replace function svc_drop_upload(p_id uuid)
returns void
language sql
as $$
  delete from workspace_uploads where id = p_id and state = 'receiving'
$$;

create or replace function svc_read_upload(p_id uuid)
returns setof workspace_uploads
language sql stable
as $$
  select * from workspace_uploads where id = p_id
$$;

-- Gives one to a run, once: of two runs that want it, the second waits for the first one's commit. took: this run has
-- it now; otherwise the row says why not. No row for what its caller does not own.
create or replace function svc_use_upload(p_id uuid, p_owner_kind text, p_owner_user uuid, p_session uuid)
returns table (
  took boolean, state text, digest text, bytes bigint, files int, left_out int, base_commit text, host_id uuid,
  session_id uuid
)
language plpgsql
as $$
declare
  given boolean;
begin
  update workspace_uploads u set state = 'used', session_id = p_session
    where u.id = p_id and u.owner_kind = p_owner_kind and u.owner_user_id is not distinct from p_owner_user
      and u.state = 'ready' and u.expires_at > clock_timestamp();
  given := found;
  return query
    select given, u.state, u.digest, u.bytes, u.files, u.left_out, u.base_commit, u.host_id, u.session_id
      from workspace_uploads u
      where u.id = p_id and u.owner_kind = p_owner_kind and u.owner_user_id is not distinct from p_owner_user;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Which of these files are still needed: they are being received, wait for a run, or are those of a run that goes on.
create or replace function svc_find_wanted_uploads(p_ids uuid[])
returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select u.id from workspace_uploads u
    left join sessions s on s.id = u.session_id
    where u.id = any (p_ids)
      and ((u.state in ('receiving', 'ready') and u.expires_at > clock_timestamp())
        or (u.state = 'used' and not coalesce(svc_is_terminal(s.status), true)))
$$;

revoke all on function svc_find_wanted_uploads from public;
grant execute on function svc_find_wanted_uploads to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
