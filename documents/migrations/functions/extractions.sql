-- What callers ask of runs of extraction: to begin, to stop, and to be done again.

-- The versions that a run begins with, where it names none: of each document of the project, or of some, the newest
-- that was read or still is. `version_id` is null for a document that has none.
create or replace function docsvc_choose_versions(p_project uuid, p_documents uuid[], p_limit int)
returns table (document_id uuid, version_id uuid)
language sql stable
as $$
  select d.id, (
      select v.id from document_versions v
        where v.document_id = d.id and v.status in ('queued', 'processing', 'indexing', 'ready', 'partial')
        order by v.version desc limit 1)
    from documents d
    where d.org_id = current_setting('docsvc.org_id')::uuid and d.project_id = p_project and d.deleted_at is null
      and (p_documents is null or d.id = any (p_documents))
    order by d.id limit p_limit
$$;

-- The schema of a version; no row where it is none of the project.
create or replace function docsvc_find_schema_of_version(p_project uuid, p_schema_version uuid)
returns uuid
language sql stable
as $$
  select s.id from schema_versions v join schemas s on s.id = v.schema_id
    where v.id = p_schema_version and s.project_id = p_project
$$;

-- Of these versions, those of documents of the project that are not deleted.
create or replace function docsvc_known_versions(p_project uuid, p_versions uuid[])
returns setof uuid
language sql stable
as $$
  select v.id from document_versions v join documents d on d.id = v.document_id
    where v.id = any (p_versions) and v.project_id = p_project and d.deleted_at is null
$$;

-- Begins a run with the wake-up of its workflow, unless the project has one with this external id. `refused` says why
-- nothing was begun: `known`, `running` for one run too many at once, or `rate`, with the seconds to wait. The caller
-- rolls back what was refused.
create or replace function docsvc_start_extraction(
  p_id uuid, p_project uuid, p_schema uuid, p_schema_version uuid, p_external_id text, p_request_digest bytea,
  p_mode text, p_engine text, p_versions uuid[], p_first_page int, p_last_page int, p_min_confidence float8,
  p_metadata jsonb, p_client uuid, p_per_minute int, p_most_running int, p_workflow_name text
)
returns table (refused text, retry_seconds int, created_at timestamptz, wake_up bigint)
language plpgsql
as $$
#variable_conflict use_column
declare
  org uuid := current_setting('docsvc.org_id')::uuid;
  began timestamptz;
begin
  insert into extractions (id, org_id, project_id, schema_id, schema_version_id, external_id, request_digest, mode,
    engine, document_version_ids, first_page, last_page, min_confidence, metadata, items_total)
  values (p_id, org, p_project, p_schema, p_schema_version, p_external_id,
    p_request_digest, p_mode, p_engine, p_versions, p_first_page, p_last_page, p_min_confidence, p_metadata,
    case p_mode when 'combined' then 1 else cardinality(p_versions) end)
  on conflict (project_id, external_id) do nothing returning created_at into began;
  if not found then
    return query select 'known', null::int, null::timestamptz, null::bigint;
    return;
  end if;
  perform docsvc_add_items(p_id, 1, false);
  return query select a.refused, a.retry_seconds, began, case when a.refused is null
      then docsvc_insert_outbox(org, 'extract', p_id, p_workflow_name) end
    from docsvc_admit_start(p_client, p_per_minute, p_most_running) a;
end
$$;

-- Whether the organization may have the run that the transaction has just begun. Those of one organization are admitted
-- one after the other.
create or replace function docsvc_admit_start(p_client uuid, p_per_minute int, p_most_running int)
returns table (refused text, retry_seconds int)
language plpgsql
as $$
declare
  org uuid := current_setting('docsvc.org_id')::uuid;
  wait_seconds int;
begin
  perform pg_advisory_xact_lock(hashtextextended(format('extractions:%s', org), 0));
  if (select count(*) from extractions e
      where e.org_id = org and e.status in ('queued', 'waiting', 'running', 'cancelling')) > p_most_running then
    return query select 'running', null::int;
    return;
  end if;
  wait_seconds := docsvc_take_rate(p_client, 'extraction_starts', p_per_minute);
  return query select case when wait_seconds is not null then 'rate' end, wait_seconds;
end
$$;

-- The items of an attempt: one for each version, or one for all. With p_only_failed those that came to a result in the
-- attempt before are taken over.
create or replace function docsvc_add_items(p_extraction uuid, p_attempt int, p_only_failed boolean)
returns void
language sql
as $$
  insert into extraction_items (id, org_id, extraction_id, attempt, item_number, document_id, document_name,
    document_version_id, version, status, result_of, parts, pages, warnings, finished_at)
  select docsvc_new_row_id(), e.org_id, e.id, p_attempt, n.item_number, coalesce(d.id, b.document_id),
      coalesce(d.name, b.document_name), n.version_id, coalesce(v.version, b.version), coalesce(k.status, 'queued'),
      k.result_of, k.parts, coalesce(k.pages, 0), coalesce(k.warnings, '[]'), k.finished_at
    from extractions e
    cross join lateral (
      select null::uuid as version_id, 1 as item_number where e.mode = 'combined'
      union all
      select u.version_id, u.item_number::int from unnest(e.document_version_ids)
          with ordinality as u (version_id, item_number) where e.mode = 'per_document'
    ) n
    left join document_versions v on v.id = n.version_id
    left join documents d on d.id = v.document_id
    left join extraction_items b on b.extraction_id = e.id and b.attempt = p_attempt - 1
      and b.item_number = n.item_number
    left join extraction_items k on k.id = b.id and p_only_failed and k.parts is not null
    where e.id = p_extraction
$$;

-- Asks a run to stop. Null when it has ended already; else whether this call asked first.
create or replace function docsvc_cancel_extraction(p_extraction uuid)
returns boolean
language plpgsql
as $$
declare
  was text;
begin
  select e.status into was from extractions e where e.id = p_extraction
    and e.status in ('queued', 'waiting', 'running', 'cancelling') for update;
  if not found then return null; end if;
  update extractions e set status = 'cancelling' where e.id = p_extraction;
  return was <> 'cancelling';
end
$$;

-- Has a run that failed, was cancelled or is partial done again. `refused` as when one is started, or `status` for one
-- that is under way or complete.
create or replace function docsvc_retry_extraction(
  p_extraction uuid, p_only_failed boolean, p_client uuid, p_per_minute int, p_most_running int)
returns table (attempt int, refused text, retry_seconds int)
language plpgsql
as $$
#variable_conflict use_column
declare
  e extractions;
begin
  update extractions x
    set status = 'queued', attempt = x.attempt + 1, items_done = 0, pages = 0, milliseconds = 0, warnings = '[]',
        error = null, waiting_since = null, started_at = null, finished_at = null
    where x.id = p_extraction and x.status in ('failed', 'partial', 'cancelled')
    returning * into e;
  if not found then
    return query select null::int, 'status', null::int;
    return;
  end if;
  perform docsvc_add_items(p_extraction, e.attempt, p_only_failed);
  update extractions x set items_done = (
      select count(*) from extraction_items i where i.extraction_id = x.id and i.attempt = x.attempt
        and i.status <> 'queued')
    where x.id = p_extraction;
  return query select e.attempt, a.refused, a.retry_seconds from docsvc_admit_start(p_client, p_per_minute,
    p_most_running) a;
end
$$;
