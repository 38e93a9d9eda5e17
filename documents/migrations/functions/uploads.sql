-- Parts of uploads and their completion.

-- Of the organization of the transaction. Null where there is none.
create or replace function docsvc_read_signing_salt()
returns bytea
language sql stable
as $$
  select o.signing_salt from orgs o where o.id = current_setting('docsvc.org_id')::uuid
$$;

-- Begins one. refused names the quota that it would pass: what open uploads will take counts as if it were kept. Those
-- of one organization begin one after the other.
create or replace function docsvc_open_upload(
  p_id uuid, p_project uuid, p_client uuid, p_name text, p_size bigint, p_part_size bigint, p_part_count int,
  p_content_type text, p_sha256 bytea, p_metadata jsonb, p_labels text[], p_ttl_secs float8, p_most_open int,
  p_most_bytes bigint
)
returns table (refused text)
language plpgsql
as $$
declare
  org uuid := current_setting('docsvc.org_id')::uuid;
  open_uploads int;
  held numeric;
begin
  perform pg_advisory_xact_lock(hashtextextended(format('uploads:%s', org), 0));
  select count(*), coalesce(sum(u.size_bytes), 0) into open_uploads, held from upload_sessions u
    where u.org_id = org and u.status in ('open', 'completing', 'failed') and u.document_id is null;
  if open_uploads >= p_most_open then return query select 'open_uploads'; return; end if;
  if held + docsvc_kept_bytes(org) + p_size > p_most_bytes then return query select 'storage_bytes'; return; end if;
  insert into upload_sessions (id, org_id, project_id, client_row_id, name, size_bytes, part_size_bytes, part_count,
    content_type, declared_sha256, metadata, labels, expires_at)
  values (p_id, org, p_project, p_client, p_name, p_size, p_part_size, p_part_count, p_content_type, p_sha256,
    p_metadata, p_labels, clock_timestamp() + make_interval(secs => p_ttl_secs));
  return query select null::text;
end
$$;

-- What a request that sends a part has to know, in one trip. No row for a session of another organization.
create or replace function docsvc_admit_part(p_session uuid, p_part int)
returns table (
  status text, size_bytes bigint, part_size_bytes bigint, part_count int, version_id uuid, etag text, sha256 bytea
)
language sql stable
as $$
  select u.status, u.size_bytes, u.part_size_bytes, u.part_count, u.version_id, p.etag, p.sha256
    from upload_sessions u
    left join upload_parts p on p.session_id = u.id and p.part_number = p_part
    where u.id = p_session
$$;

-- Before a part of a failed upload is replaced: nothing counts while its bytes change.
create or replace function docsvc_uncount_part(p_session uuid, p_part int)
returns boolean
language plpgsql
as $$
begin
  perform from upload_sessions u where u.id = p_session and u.status = 'failed' for update;
  if not found then return false; end if;
  delete from upload_parts p where p.session_id = p_session and p.part_number = p_part;
  return true;
end
$$;

-- Counts a part whose bytes are durable, and gives the upload time for the next one. False when the upload has ended.
create or replace function docsvc_count_part(
  p_session uuid, p_part int, p_etag text, p_sha256 bytea, p_size bigint, p_ttl_secs float8
)
returns boolean
language plpgsql
as $$
begin
  update upload_sessions u set expires_at = clock_timestamp() + make_interval(secs => p_ttl_secs)
    where u.id = p_session and u.status in ('open', 'failed');
  if not found then return false; end if;
  insert into upload_parts (org_id, session_id, part_number, etag, sha256, size_bytes)
  values (current_setting('docsvc.org_id')::uuid, p_session, p_part, p_etag, p_sha256, p_size)
  on conflict (session_id, part_number) do update
    set etag = excluded.etag, sha256 = excluded.sha256, received_at = clock_timestamp();
  return true;
end
$$;

-- Takes an upload whose parts are all here into its completion, once for all who ask at the same time. missing has the
-- parts, at most p_most_missing, that are not here, or whose ETag is not the one that the client has for them. A list
-- of no parts names none wrong. version_id is that of the version to be, the first one that was offered. reading is
-- true while the version of a failed upload is read once more: its bytes must not be replaced meanwhile. A digest that
-- was stated holds until another one is.
create or replace function docsvc_begin_completion(
  p_session uuid, p_version uuid, p_sha256 bytea, p_numbers int[], p_etags text[], p_most_missing int
)
returns table (status text, version_id uuid, missing int[], reading boolean)
language plpgsql
as $$
declare
  found_session upload_sessions;
  lacking int[];
begin
  select * into found_session from upload_sessions u where u.id = p_session for update;
  if not found then return; end if;
  if found_session.status not in ('open', 'failed') then
    return query select found_session.status, found_session.version_id, '{}'::int[], false;
    return;
  end if;
  if exists (select from document_versions v
      where v.id = found_session.version_id and v.status in ('queued', 'processing', 'indexing')) then
    return query select found_session.status, found_session.version_id, '{}'::int[], true;
    return;
  end if;
  select array_agg(n order by n) into lacking from (
    select n from generate_series(1, found_session.part_count) n
      left join upload_parts p on p.session_id = p_session and p.part_number = n
      left join unnest(p_numbers, p_etags) as stated (number, etag) on stated.number = n
      where p.etag is null or stated.etag <> p.etag
      order by n limit p_most_missing
  ) as lacked;
  if lacking is not null then
    return query select found_session.status, found_session.version_id, lacking, false;
    return;
  end if;
  return query update upload_sessions u
    set status = 'completing', version_id = coalesce(u.version_id, p_version), error = null,
      declared_sha256 = coalesce(p_sha256, u.declared_sha256)
    where u.id = p_session
    returning u.status, u.version_id, '{}'::int[], false;
end
$$;

-- Makes the version of an upload whose bytes are at their key: first of its name, or the next one. Where the client has
-- stated a digest the upload is completed by whoever reads the bytes. done says what came of it: the version was
-- `made`, it is read `again` after it had failed, or `nothing` was to be done: whoever repeats this gets the same
-- answer. No row when the upload is not being completed, or its version was purged.
create or replace function docsvc_finish_completion(
  p_session uuid, p_document uuid, p_blob_key text, p_most_documents bigint
)
returns table (document_id uuid, version_id uuid, project_id uuid, version int, done text, refused text)
language plpgsql
as $$
declare
  u upload_sessions;
  v document_versions;
  made record;
  came_to text;
begin
  select * into u from upload_sessions s where s.id = p_session for update;
  if not found or u.status not in ('completing', 'completed') then return; end if;
  select * into v from document_versions d where d.id = u.version_id for update;
  if found and (v.status <> 'failed' or u.status = 'completed') then
    return query select v.document_id, v.id, v.project_id, v.version, 'nothing', null::text;
    return;
  end if;
  if not found and u.document_id is not null then return; end if;
  came_to := case when found then 'again' else 'made' end;
  if came_to = 'again' then
    update document_versions d set status = 'queued', stage = null, error = null, sha256 = null, ready_at = null,
        declared_sha256 = u.declared_sha256, attempt = d.attempt + 1
      where d.id = v.id;
  else
    select * into made from docsvc_add_version(u.version_id, p_document, u.project_id, u.name, p_blob_key,
      u.content_type, u.size_bytes, u.declared_sha256, null, u.metadata, u.labels, p_most_documents, null);
    if made.refused is not null then
      return query select null::uuid, u.version_id, u.project_id, 0, 'nothing', made.refused;
      return;
    end if;
    v.document_id := made.document_id;
    v.version := made.version;
  end if;
  update upload_sessions s set document_id = v.document_id,
      status = case when s.declared_sha256 is null then 'completed' else 'completing' end,
      finished_at = case when s.declared_sha256 is null then clock_timestamp() end
    where s.id = p_session;
  return query select v.document_id, u.version_id, u.project_id, v.version, came_to, null::text;
end
$$;

-- Ends a completion that was refused, or whose bytes are gone, before it made a version: it can be begun again.
create or replace function docsvc_refuse_completion(p_session uuid, p_error jsonb, p_ttl_secs float8)
returns void
language sql
as $$
  update upload_sessions u
    set status = 'failed', error = p_error, expires_at = clock_timestamp() + make_interval(secs => p_ttl_secs)
    where u.id = p_session and u.status = 'completing'
      and not exists (select from document_versions v where v.id = u.version_id and v.status <> 'failed')
$$;

-- What an attempt to read the bytes came to, where their digest was stated: without an error they have it. An upload
-- that failed because they were never read whole is completed by a later attempt. Does nothing for an attempt that is
-- over.
create or replace function docsvc_settle_upload(p_version uuid, p_attempt int, p_error jsonb, p_ttl_secs float8)
returns void
language sql
as $$
  update upload_sessions u
    set status = case when p_error is null then 'completed' else 'failed' end, error = p_error,
      finished_at = case when p_error is null then clock_timestamp() end,
      expires_at = clock_timestamp() + make_interval(secs => p_ttl_secs)
    where u.version_id = p_version and (u.status = 'completing' or (u.status = 'failed' and p_error is null))
      and exists (select from document_versions v
        where v.id = p_version and v.attempt = p_attempt and v.status in ('processing', 'indexing'))
$$;

-- The version whose bytes go with its upload: one that there is not yet, or whose bytes are not those that were meant.
-- Null for any other, which can be read again.
create or replace function docsvc_freed_version(p_version uuid)
returns uuid
language sql stable
as $$
  select p_version where not exists (
    select from document_versions v
      where v.id = p_version and (v.error ->> 'code') is distinct from 'checksum_mismatch'
  )
$$;

-- Ends an upload that nobody completes. The status that it has then, and the version whose bytes go with it; no row for
-- one of another organization.
create or replace function docsvc_abort_upload(p_session uuid)
returns table (status text, version_id uuid)
language plpgsql
as $$
begin
  update upload_sessions u set status = 'aborted', finished_at = clock_timestamp()
    where u.id = p_session and (u.status in ('open', 'failed'));
  return query select u.status, docsvc_freed_version(u.version_id) from upload_sessions u where u.id = p_session;
end
$$;

-- Across organizations. These run as docsvc_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to docsvc_system;
set local role docsvc_system;

-- Ends uploads that got no part for too long; with the versions whose bytes go with them.
create or replace function docsvc_expire_uploads(p_limit int)
returns table (id uuid, version_id uuid)
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  update upload_sessions u set status = 'expired', finished_at = clock_timestamp()
    where u.id in (
      select o.id from upload_sessions o
        where o.status in ('open', 'failed') and o.expires_at < clock_timestamp()
        order by o.expires_at limit p_limit for update skip locked
    )
    returning u.id, docsvc_freed_version(u.version_id)
$$;

-- Completions that a process began and did not live to finish, by id, behind one of them.
create or replace function docsvc_list_stuck_completions(p_after uuid, p_limit int)
returns table (org_id uuid, id uuid, version_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select u.org_id, u.id, u.version_id from upload_sessions u
    left join document_versions v on v.id = u.version_id
    where u.status = 'completing' and (v.id is null or v.status = 'failed') and (p_after is null or u.id > p_after)
    order by u.id limit p_limit
$$;

-- Of these uploads, those whose bytes are still needed.
create or replace function docsvc_find_wanted_uploads(p_ids uuid[])
returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select u.id from upload_sessions u where u.id = any (p_ids) and u.status in ('open', 'completing', 'failed')
$$;

-- Of these ids, those whose blobs are still needed: versions, also those to be, parses, and results of extraction. What
-- an item left that was cancelled meanwhile is no result.
create or replace function docsvc_find_wanted_owners(p_ids uuid[])
returns setof uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select v.id from document_versions v where v.id = any (p_ids)
  union
  select p.id from parses p where p.id = any (p_ids)
  union
  select i.id from extraction_items i where i.id = any (p_ids) and (i.status = 'queued' or i.parts is not null)
  union
  select u.version_id from upload_sessions u
    where u.version_id = any (p_ids) and u.status in ('completing', 'failed')
$$;

revoke all on function docsvc_expire_uploads, docsvc_list_stuck_completions, docsvc_find_wanted_uploads,
  docsvc_find_wanted_owners from public;
grant execute on function docsvc_expire_uploads, docsvc_list_stuck_completions, docsvc_find_wanted_uploads,
  docsvc_find_wanted_owners to docsvc_app;
reset role;
revoke create on schema public from docsvc_system;
