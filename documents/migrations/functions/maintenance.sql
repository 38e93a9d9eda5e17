-- What is swept, over all organizations. What changes rows of one organization is done in a transaction of it; these
-- only find them, or remove what nobody sees.

-- Purges a deleted document: its versions, and what was read of them where no other version shares it. @returns its
-- versions, whose bytes then belong to nobody
create or replace function docsvc_purge_document(p_document uuid)
returns setof uuid
language plpgsql
as $$
declare
  org uuid;
  read_of uuid[];
  ids uuid[];
  bytes bigint;
begin
  select d.org_id into org from documents d where d.id = p_document and d.deleted_at is not null for update;
  if not found then return; end if;
  select array_agg(v.id), coalesce(sum(v.size_bytes), 0),
    array_agg(distinct v.parse_id) filter (where v.parse_id is not null)
    into ids, bytes, read_of from document_versions v where v.document_id = p_document;
  delete from documents where id = p_document;
  perform docsvc_retire_parse(id) from unnest(read_of) id;
  perform docsvc_count_kept(org, 'storage_bytes', -bytes, null);
  return query select unnest(ids);
end
$$;

-- Purges an archived project with its webhooks, ended uploads, words, runs of extraction and schemas. @returns false
-- while it still holds something
create or replace function docsvc_purge_project(p_project uuid)
returns boolean
language plpgsql
as $$
begin
  perform 1 from projects p where p.id = p_project and p.archived_at is not null for update;
  if not found
      or exists (select from documents d where d.project_id = p_project)
      or exists (select from parses r where r.project_id = p_project)
      or exists (select from upload_sessions u
        where u.project_id = p_project and u.status in ('open', 'completing', 'failed')) then
    return false;
  end if;
  delete from webhooks where project_id = p_project;
  delete from upload_sessions where project_id = p_project;
  delete from lexicon where project_id = p_project;
  delete from extractions where project_id = p_project;
  delete from schemas where project_id = p_project;
  delete from projects where id = p_project;
  return true;
end
$$;

grant create on schema public to docsvc_system;
set local role docsvc_system;

-- Versions that somebody should be reading, for longer than p_older_than_ms.
create or replace function docsvc_list_unread_versions(p_older_than_ms int, p_after uuid, p_limit int)
returns table (org_id uuid, version_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select v.org_id, v.id from document_versions v
   where v.status in ('queued', 'processing', 'indexing')
     and v.created_at <= clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
     and (p_after is null or v.id > p_after)
   order by v.id limit p_limit
$$;

-- Documents that their projects keep no longer, and those of projects that were archived p_days ago; they are not
-- deleted yet.
create or replace function docsvc_list_outlived_documents(p_days int, p_limit int)
returns table (org_id uuid, document_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select d.org_id, d.id from documents d join projects p on p.id = d.project_id
   where d.deleted_at is null
     and (p.archived_at <= clock_timestamp() - make_interval(days => p_days)
          or d.updated_at <= clock_timestamp() - make_interval(days => (p.settings ->> 'retentionDays')::int))
   order by d.id limit p_limit
$$;

-- Documents that were deleted p_days ago, or whose project was archived so long ago.
create or replace function docsvc_list_purgeable_documents(p_days int, p_limit int)
returns table (org_id uuid, document_id uuid, project_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select d.org_id, d.id, d.project_id from documents d join projects p on p.id = d.project_id
   where d.deleted_at is not null
     and (d.deleted_at <= clock_timestamp() - make_interval(days => p_days)
          or p.archived_at <= clock_timestamp() - make_interval(days => p_days))
   order by d.id limit p_limit
$$;

-- Projects that were archived p_days ago and hold nothing any more that has to be purged before them.
create or replace function docsvc_list_purgeable_projects(p_days int, p_limit int)
returns table (org_id uuid, project_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select p.org_id, p.id from projects p
   where p.archived_at <= clock_timestamp() - make_interval(days => p_days)
     and not exists (select from documents d where d.org_id = p.org_id and d.project_id = p.id)
     and not exists (select from parses r where r.org_id = p.org_id and r.project_id = p.id)
     and not exists (select from upload_sessions u
       where u.org_id = p.org_id and u.project_id = p.id and u.status in ('open', 'completing', 'failed'))
   order by p.id limit p_limit
$$;

-- Uploads that ended so many days ago, with what is known of their parts. @returns how many
create or replace function docsvc_delete_ended_uploads(p_days int, p_limit int)
returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  deleted int;
begin
  delete from upload_sessions u where u.id in (
    select o.id from upload_sessions o
     where o.status in ('completed', 'aborted', 'expired')
       and o.finished_at <= clock_timestamp() - make_interval(days => p_days)
     limit p_limit for update skip locked);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

-- Parses that no version uses and nobody has put aside. An hour lets whoever is about to use one do so.
create or replace function docsvc_list_unused_parses(p_limit int)
returns table (org_id uuid, parse_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select r.org_id, r.id from parses r
   where r.status in ('ready', 'partial') and r.finished_at <= clock_timestamp() - interval '1 hour'
     and not exists (select from document_versions v where v.parse_id = r.id)
   order by r.id limit p_limit
$$;

-- Removes what was read and serves nobody: parses that were put aside an hour ago, so that readers finish, and those of
-- attempts that are over. @returns their ids, whose blobs then belong to nobody
create or replace function docsvc_sweep_parses(p_limit int)
returns setof uuid
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  delete from parses where id in (
    select r.id from parses r
     where r.status in ('running', 'obsolete')
       and coalesce(r.retired_at, r.created_at) <= clock_timestamp() - interval '1 hour'
       and (r.status = 'obsolete' or not exists (
         select from document_versions v
          where v.id = r.version_id and v.attempt = r.attempt and v.status in ('queued', 'processing', 'indexing')))
       and not exists (select from document_versions v where v.parse_id = r.id)
     order by coalesce(r.retired_at, r.created_at) limit p_limit for update of r skip locked
  ) returning id
$$;

-- Counts anew what organizations keep. The counters of an organization are locked first, so that nothing is counted
-- in between.
create or replace function docsvc_reconcile_usage()
returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  org uuid;
  healed int := 0;
  changed int;
begin
  for org in select id from orgs order by id loop
    perform 1 from usage_counters where org_id = org and period = date '1970-01-01' order by kind for update;
    update usage_counters c set amount = counted.amount
      from (
        select 'documents' as kind, (select count(*) from documents where org_id = org and deleted_at is null) as amount
        union all
        select 'storage_bytes', (select coalesce(sum(size_bytes), 0)::bigint from document_versions where org_id = org)
      ) counted
     where c.org_id = org and c.kind = counted.kind and c.period = date '1970-01-01' and c.amount <> counted.amount;
    get diagnostics changed = row_count;
    healed := healed + changed;
  end loop;
  return healed;
end
$$;

revoke all on function docsvc_list_unread_versions, docsvc_list_outlived_documents, docsvc_list_purgeable_documents,
  docsvc_list_purgeable_projects, docsvc_delete_ended_uploads, docsvc_list_unused_parses, docsvc_sweep_parses,
  docsvc_reconcile_usage from public;
grant execute on function docsvc_list_unread_versions, docsvc_list_outlived_documents, docsvc_list_purgeable_documents,
  docsvc_list_purgeable_projects, docsvc_delete_ended_uploads, docsvc_list_unused_parses, docsvc_sweep_parses,
  docsvc_reconcile_usage to docsvc_app;
reset role;
revoke create on schema public from docsvc_system;
