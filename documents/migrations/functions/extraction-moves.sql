-- Runs of extraction from their start to their end. Each move is a compare-and-swap on attempt and status, so that a
-- step that is repeated, or comes late, changes nothing.

-- Takes a queued run, or goes on with one that is under way. It waits while a version that it chose is still being
-- read, but for no longer than p_wait_secs in all. `entered` says that this call moved it. No row when there is nothing
-- to do.
create or replace function docsvc_begin_extraction(p_extraction uuid, p_wait_secs float8)
returns table (
  project_id uuid, external_id text, attempt int, status text, entered boolean, wait_ms int, schema_id uuid,
  schema_version_id uuid
)
language plpgsql
as $$
#variable_conflict use_column
declare
  e extractions;
  was text;
begin
  select * into e from extractions x where x.id = p_extraction
    and x.status in ('queued', 'waiting', 'running', 'cancelling') for update;
  if not found then return; end if;
  was := e.status;
  if was in ('queued', 'waiting') then
    update extractions x set
        status = case when docsvc_is_read_still(e.document_version_ids)
          and clock_timestamp() < coalesce(e.waiting_since, clock_timestamp()) + make_interval(secs => p_wait_secs)
          then 'waiting' else 'running' end,
        waiting_since = coalesce(e.waiting_since, clock_timestamp())
      where x.id = p_extraction returning * into e;
    if e.status = 'running' then
      update extractions x set started_at = clock_timestamp() where x.id = p_extraction;
    end if;
  end if;
  return query select e.project_id, e.external_id, e.attempt, e.status, e.status <> was,
    greatest(0, ceil(extract(epoch from e.waiting_since + make_interval(secs => p_wait_secs) - clock_timestamp())
      * 1000))::int,
    e.schema_id, e.schema_version_id;
end
$$;

create or replace function docsvc_is_read_still(p_versions uuid[])
returns boolean
language sql stable
as $$
  select exists (
    select from document_versions v join documents d on d.id = v.document_id
      where v.id = any (p_versions) and v.status in ('queued', 'processing', 'indexing') and d.deleted_at is null)
$$;

-- Numbers of the items that are still to be done, behind one of them. None once the run is asked to stop.
create or replace function docsvc_list_open_items(p_extraction uuid, p_attempt int, p_after int, p_limit int)
returns setof int
language sql stable
as $$
  select i.item_number from extraction_items i join extractions e on e.id = i.extraction_id
    where e.id = p_extraction and e.attempt = p_attempt and e.status = 'running' and i.attempt = p_attempt
      and i.status = 'queued' and i.item_number > p_after
    order by i.item_number limit p_limit
$$;

-- What an item needs; no row when it is not to be done any more.
create or replace function docsvc_read_item(p_extraction uuid, p_attempt int, p_item int)
returns table (
  id uuid, mode text, first_page int, last_page int, min_confidence float8, json_schema json, version_ids uuid[]
)
language sql stable
as $$
  select i.id, e.mode, e.first_page, e.last_page, e.min_confidence, s.json_schema,
      case when e.mode = 'combined' then e.document_version_ids else array[i.document_version_id] end
    from extraction_items i
    join extractions e on e.id = i.extraction_id
    join schema_versions s on s.id = e.schema_version_id
    where e.id = p_extraction and e.attempt = p_attempt and e.status = 'running' and i.attempt = p_attempt
      and i.item_number = p_item and i.status = 'queued'
$$;

-- Versions in their order with what was read of them. One that is missing was purged.
create or replace function docsvc_list_sources(p_versions uuid[])
returns table (
  version_id uuid, version int, document_id uuid, document_name text, is_deleted boolean, status text, parse_id uuid,
  page_count int, failed_pages int[]
)
language sql stable
as $$
  select v.id, v.version, d.id, d.name, d.deleted_at is not null, v.status, v.parse_id, coalesce(p.page_count, 0),
      coalesce(p.failed_pages, '{}')
    from unnest(p_versions) with ordinality as u (version_id, place)
    join document_versions v on v.id = u.version_id
    join documents d on d.id = v.document_id
    left join parses p on p.id = v.parse_id
    order by u.place
$$;

-- Ends an item. False when it was ended before, or the run has gone on without the caller.
create or replace function docsvc_finish_item(
  p_extraction uuid, p_attempt int, p_item int, p_status text, p_parts jsonb, p_pages int, p_milliseconds int,
  p_warnings jsonb, p_error jsonb)
returns boolean
language plpgsql
as $$
begin
  perform from extractions e where e.id = p_extraction and e.attempt = p_attempt and e.status = 'running' for update;
  if not found then return false; end if;
  update extraction_items i
    set status = p_status, parts = p_parts, result_of = case when p_parts is not null then i.id end, pages = p_pages,
        milliseconds = p_milliseconds, warnings = p_warnings, error = p_error, finished_at = clock_timestamp()
    where i.extraction_id = p_extraction and i.attempt = p_attempt and i.item_number = p_item and i.status = 'queued';
  if not found then return false; end if;
  update extractions e set items_done = e.items_done + 1 where e.id = p_extraction;
  return true;
end
$$;

-- Ends an attempt by what its items came to: those that are not done end with it, failed with p_unfinished or
-- cancelled.
-- No row when it was ended before.
create or replace function docsvc_finish_extraction(p_extraction uuid, p_attempt int, p_unfinished jsonb)
returns table (
  project_id uuid, schema_id uuid, schema_version_id uuid, external_id text, status text, error jsonb,
  items_total int, items_failed int
)
language plpgsql
as $$
#variable_conflict use_column
declare
  e extractions;
  failed int;
  partial int;
  ending text;
begin
  select * into e from extractions x where x.id = p_extraction and x.attempt = p_attempt
    and x.status in ('queued', 'waiting', 'running', 'cancelling') for update;
  if not found then return; end if;
  update extraction_items i
    set status = case when e.status = 'cancelling' then 'cancelled' else 'failed' end,
        error = case when e.status <> 'cancelling' then p_unfinished end, finished_at = clock_timestamp()
    where i.extraction_id = p_extraction and i.attempt = p_attempt and i.status = 'queued';
  select count(*) filter (where i.status = 'failed'), count(*) filter (where i.status = 'partial')
    into failed, partial from extraction_items i where i.extraction_id = p_extraction and i.attempt = p_attempt;
  ending := case when e.status = 'cancelling' then 'cancelled' when failed = e.items_total then 'failed'
    when failed + partial > 0 then 'partial' else 'completed' end;
  update extractions x set status = ending, finished_at = clock_timestamp(),
      items_done = case when ending = 'cancelled' then x.items_done else x.items_total end,
      error = case when ending = 'failed' then (
        select i.error from extraction_items i where i.extraction_id = p_extraction and i.attempt = p_attempt
          and i.error is not null order by i.item_number limit 1) end,
      warnings = docsvc_warnings_of_items(p_extraction, p_attempt),
      (pages, milliseconds) = (
        select sum(i.pages), sum(i.milliseconds) from extraction_items i
          where i.extraction_id = p_extraction and i.attempt = p_attempt)
    where x.id = p_extraction returning * into e;
  insert into extraction_attempts (org_id, extraction_id, attempt, status, pages, milliseconds, warnings, error,
    started_at, finished_at)
  values (e.org_id, e.id, e.attempt, e.status, e.pages, e.milliseconds, e.warnings, e.error, e.started_at,
    e.finished_at);
  return query select e.project_id, e.schema_id, e.schema_version_id, e.external_id, e.status, e.error, e.items_total,
    failed;
end
$$;

-- The first hundred warnings of an attempt, each with its version; a document that failed is one.
create or replace function docsvc_warnings_of_items(p_extraction uuid, p_attempt int)
returns jsonb
language sql stable
as $$
  select coalesce(jsonb_agg(w.warning order by w.item_number, w.place), '[]') from (
    select i.item_number, u.place,
        u.warning || jsonb_strip_nulls(jsonb_build_object('documentVersionId', i.document_version_id)) as warning
      from extraction_items i
      cross join lateral jsonb_array_elements(
        i.warnings || case when i.error is null then '[]' else jsonb_build_array(i.error) end
      ) with ordinality as u (warning, place)
      where i.extraction_id = p_extraction and i.attempt = p_attempt
      order by i.item_number, u.place limit 100
  ) w
$$;

-- Whether an enabled webhook of the project wants results with its events.
create or replace function docsvc_wants_results(p_project uuid)
returns boolean
language sql stable
as $$
  select exists (select from webhooks w where w.project_id = p_project and w.enabled and w.include_result)
$$;

-- Runs that waited for this version and now for no other one. They are held first, so that of two versions that end at
-- the same time one sees the other.
create or replace function docsvc_list_waiting_extractions(p_version uuid)
returns table (extraction_id uuid, project_id uuid, external_id text)
language plpgsql
as $$
declare
  held uuid[];
begin
  held := array(select e.id from extractions e
    where e.document_version_ids @> array[p_version] and e.status = 'waiting' order by e.id for update);
  return query select e.id, e.project_id, e.external_id from extractions e
    where e.id = any (held) and not docsvc_is_read_still(e.document_version_ids);
end
$$;

-- Removes the results that a deleted document gave, and its name from what is still to be done. @returns the items
-- whose blobs then belong to nobody
create or replace function docsvc_purge_results(p_document uuid)
returns setof uuid
language sql
as $$
  with versions as (
    select v.id from document_versions v join documents d on d.id = v.document_id
      where d.id = p_document and d.deleted_at is not null
  ), purged as (
    update extraction_items i
      set parts = null, result_of = null, document_name = null,
          purged_at = case when i.status <> 'queued' then clock_timestamp() end
      where i.purged_at is null and (
        i.document_version_id in (select id from versions)
        or (i.document_version_id is null and i.extraction_id in (
          select e.id from extractions e
            where e.mode = 'combined' and e.document_version_ids && array(select id from versions))))
      returning i.id, i.status
  )
  select id from purged where status <> 'queued'
$$;

grant create on schema public to docsvc_system;
set local role docsvc_system;

-- Runs of all organizations that somebody should be driving, for longer than p_older_than_ms.
create or replace function docsvc_list_open_extractions(p_older_than_ms int, p_after uuid, p_limit int)
returns table (org_id uuid, extraction_id uuid, project_id uuid, external_id text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select e.org_id, e.id, e.project_id, e.external_id from extractions e
    where e.status in ('queued', 'waiting', 'running', 'cancelling')
      and e.created_at <= clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
      and (p_after is null or e.id > p_after)
    order by e.id limit p_limit
$$;

revoke all on function docsvc_list_open_extractions from public;
grant execute on function docsvc_list_open_extractions to docsvc_app;
reset role;
revoke create on schema public from docsvc_system;
