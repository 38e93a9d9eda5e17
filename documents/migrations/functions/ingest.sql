-- The moves of a version from `queued` to its terminal state. Each is a compare-and-swap on the attempt, so that a
-- step that is repeated, or comes late, changes nothing. Locks are taken in the order document, version, parse.
-- A version has a parse, as soon as there is one, whatever its status: that one is searched and shown.

-- Takes a queued version, or goes on with one that is under way. No row when there is nothing to do.
create or replace function docsvc_begin_ingest(p_version uuid)
returns table (
  attempt int, document_id uuid, project_id uuid, document_name text, version int, blob_key text, size_bytes bigint,
  declared_sha256 bytea, sha256 bytea, parse_options jsonb, project_settings jsonb
)
language plpgsql
as $$
begin
  update document_versions v
    set status = 'processing', stage = 'validate', pages_done = 0, pages_total = null, lost_ms = 0, warnings = '[]',
      error = null
    where v.id = p_version and v.status = 'queued';
  return query
    select v.attempt, v.document_id, v.project_id, d.name, v.version, v.blob_key, v.size_bytes, v.declared_sha256,
      v.sha256, v.parse_options,
           p.settings
      from document_versions v
      join documents d on d.id = v.document_id
      join projects p on p.id = v.project_id
     where v.id = p_version and v.status in ('processing', 'indexing');
end
$$;

-- Notes the digest of the bytes, so that they are hashed once.
create or replace function docsvc_note_digest(p_version uuid, p_attempt int, p_sha256 bytea)
returns void
language sql
as $$
  update document_versions set sha256 = p_sha256
    where id = p_version and attempt = p_attempt and status = 'processing'
$$;

-- Notes what the bytes are. `reused` is true where the same bytes were read before: the version uses that parse from
-- now on, so that nobody can put it aside. An attempt after the first reads the bytes anew.
create or replace function docsvc_open_parse(
  p_version uuid, p_attempt int, p_parse uuid, p_sha256 bytea, p_options_digest bytea, p_kind text,
    p_content_type text, p_page_count int,
  p_warnings jsonb
)
returns table (parse_id uuid, reused boolean)
language plpgsql
as $$
declare
  v document_versions;
  known uuid;
begin
  perform docsvc_identify_version(p_version, p_attempt, p_sha256, p_kind, p_content_type);
  select * into v from document_versions d where d.id = p_version and d.attempt = p_attempt
    and d.status = 'processing' for update;
  if not found then return; end if;
  if p_attempt = 1 then
    select p.id into known from parses p
      where p.project_id = v.project_id and p.sha256 = p_sha256 and p.options_digest = p_options_digest
        and p.status in ('ready', 'partial') for share;
    if found then
      update document_versions d set parse_id = known where d.id = p_version;
      return query select known, true;
      return;
    end if;
  end if;
  update document_versions d set stage = 'parse', pages_total = p_page_count where d.id = p_version;
  insert into parses (id, org_id, project_id, sha256, options_digest, version_id, attempt, page_count, warnings)
    values (p_parse, v.org_id, v.project_id, p_sha256, p_options_digest, p_version, p_attempt, p_page_count, p_warnings)
    on conflict (version_id, attempt) do nothing;
  return query select p.id, false from parses p where p.version_id = p_version and p.attempt = p_attempt;
end
$$;

-- The digest and the kind that the bytes show. A document is of the kind of its newest version.
create or replace function docsvc_identify_version(p_version uuid, p_attempt int, p_sha256 bytea, p_kind text,
  p_content_type text)
returns void
language sql
as $$
  with identified as (
    update document_versions set sha256 = p_sha256, content_type = p_content_type
      where id = p_version and attempt = p_attempt and status = 'processing'
      returning id, document_id
  )
  update documents d set kind = p_kind, updated_at = clock_timestamp()
    from identified v where d.id = v.document_id and d.latest_version_id = v.id and d.kind <> p_kind
$$;

create or replace function docsvc_pages_of_month()
returns bigint
language sql stable
as $$
  select coalesce(sum(amount), 0)::bigint from usage_counters
   where kind = 'pages' and period = date_trunc('month', clock_timestamp() at time zone 'utc')::date
$$;

-- False when the version has gone on without the caller.
create or replace function docsvc_move_ingest(p_version uuid, p_attempt int, p_status text, p_stage text)
returns boolean
language sql
as $$
  with moved as (
    update document_versions set status = p_status, stage = p_stage
      where id = p_version and attempt = p_attempt and status in ('processing', 'indexing')
      returning 1
  )
  select exists (select from moved)
$$;

-- Time that parsers lost to limits. @returns the sum so far
create or replace function docsvc_note_lost_time(p_version uuid, p_attempt int, p_ms int)
returns int
language sql
as $$
  update document_versions set lost_ms = lost_ms + p_ms where id = p_version and attempt = p_attempt returning lost_ms
$$;

-- A page that cannot be read; its progress counts all the same. A page of a thousand costs what the first one did.
create or replace function docsvc_fail_page(p_version uuid, p_attempt int, p_parse uuid, p_page int, p_warning jsonb)
returns void
language plpgsql
as $$
begin
  insert into page_failures (org_id, parse_id, page_number, warning)
    select r.org_id, r.id, p_page, p_warning from parses r where r.id = p_parse and r.status = 'running'
    on conflict (parse_id, page_number) do nothing;
  if found and not exists (select from pages where parse_id = p_parse and page_number = p_page) then
    perform docsvc_add_pages_done(p_version, p_attempt, 1);
  end if;
end
$$;

create or replace function docsvc_add_pages_done(p_version uuid, p_attempt int, p_pages int)
returns void
language sql
as $$
  update document_versions set pages_done = pages_done + p_pages where id = p_version and attempt = p_attempt
$$;

-- The number of pages; of what is counted only while it is read, the last that was met.
create or replace function docsvc_last_page(p_parse uuid)
returns int
language sql
as $$
  select coalesce(r.page_count, greatest(
    (select max(page_number) from pages where parse_id = r.id),
    (select max(page_number) from page_failures where parse_id = r.id), 0
  )) from parses r where r.id = p_parse
$$;

-- How reading went: pages that the document has, that were read, and that were not.
create or replace function docsvc_sum_up_parse(p_parse uuid)
returns table (page_count int, read_pages int, failed_pages int)
language sql
as $$
  select docsvc_last_page(r.id), (select count(*)::int from pages where parse_id = r.id),
      (select count(*)::int from page_failures where parse_id = r.id)
    from parses r where r.id = p_parse
$$;

-- Ends an ingest. What was read becomes what searches see, and what it replaces is put aside. Where nothing was read,
-- what was read before stays, unless the bytes turned out to be dangerous. No row when the version is gone, was ended
-- before, or has gone on to another attempt.
create or replace function docsvc_finish_ingest(p_version uuid, p_attempt int, p_parse uuid, p_status text,
  p_error jsonb)
returns table (project_id uuid, document_id uuid, version int)
language plpgsql
as $$
declare
  v document_versions;
  made uuid;
  kept uuid;
begin
  perform 1 from documents d join document_versions x on x.document_id = d.id where x.id = p_version for update of d;
  select * into v from document_versions x where x.id = p_version for update;
  if not found or v.attempt <> p_attempt or v.status not in ('processing', 'indexing') then return; end if;
  if p_status in ('ready', 'partial') then made := docsvc_settle_parse(p_parse, p_attempt, p_status); end if;
  kept := coalesce(made, case when p_status <> 'quarantined' then v.parse_id end);
  update document_versions set
    status = p_status, stage = null, parse_id = kept, error = p_error,
    pages_total = case when made is null then pages_total else (select page_count from parses where id = made) end,
    pages_done = case when made is null then pages_done else (select page_count from parses where id = made) end,
    ready_at = case when made is not null then clock_timestamp() when kept is not null then ready_at end
    where id = p_version;
  perform docsvc_retire_parse(id) from (values (v.parse_id), (p_parse)) as unused (id) where id is not null
    and id is distinct from kept;
  update documents d set updated_at = clock_timestamp(), searchable_version_id = (
    select x.id from document_versions x where x.document_id = d.id and x.parse_id is not null
     order by x.version desc limit 1
  ) where d.id = v.document_id;
  return query select v.project_id, v.document_id, v.version;
end
$$;

-- Of pages that failed all numbers are kept, and the warnings of the first hundred: a version is answered whole.
-- @returns the parse that holds what was read of these bytes: the given one, or that of a version which was quicker
create or replace function docsvc_settle_parse(p_parse uuid, p_attempt int, p_status text)
returns uuid
language plpgsql
as $$
declare
  made parses;
  known uuid;
begin
  select * into made from parses where id = p_parse for update;
  if made.status in ('ready', 'partial') then return p_parse; end if;
  select id into known from parses
    where project_id = made.project_id and sha256 = made.sha256 and options_digest = made.options_digest
      and status in ('ready', 'partial') for update;
  if known is not null and (p_attempt = 1 or made.status = 'obsolete') then return known; end if;
  if made.status is distinct from 'running' then raise exception 'the parse % was put aside', p_parse; end if;
  if known is not null then
    update parses set status = 'obsolete', retired_at = clock_timestamp() where id = known;
    perform docsvc_count_words(known, -1);
    update document_versions set parse_id = p_parse where parse_id = known;
  end if;
  update parses set status = p_status, finished_at = clock_timestamp(), page_count = docsvc_last_page(p_parse),
    ocr_pages = (select count(*) from pages where parse_id = p_parse and source in ('ocr', 'mixed')),
    failed_pages = array(select page_number from page_failures where parse_id = p_parse order by page_number),
    warnings = warnings || array_to_json(array(
      select warning from page_failures where parse_id = p_parse order by page_number limit 100
    ))::jsonb
    where id = p_parse returning * into made;
  perform docsvc_count_words(p_parse, 1);
  insert into usage_counters (org_id, kind, period, amount)
    values (made.org_id, 'pages', date_trunc('month', clock_timestamp() at time zone 'utc')::date, made.page_count)
    on conflict (org_id, kind, period) do update set amount = usage_counters.amount + excluded.amount;
  return p_parse;
end
$$;

-- Puts a parse aside that no version uses. The lock comes first: whoever begins to use it holds one too, so what is
-- seen behind it stays true.
create or replace function docsvc_retire_parse(p_parse uuid)
returns void
language plpgsql
as $$
declare
  was text;
begin
  select status into was from parses where id = p_parse and status <> 'obsolete' for update;
  if not found or exists (select from document_versions where parse_id = p_parse) then return; end if;
  update parses set status = 'obsolete', retired_at = clock_timestamp() where id = p_parse;
  if was <> 'running' then perform docsvc_count_words(p_parse, -1); end if;
end
$$;

-- Has a terminal version read again. @returns the number of the attempt; null when the version is under way
create or replace function docsvc_requeue_version(p_version uuid, p_options jsonb)
returns int
language sql
as $$
  update document_versions
    set status = 'queued', stage = null, attempt = attempt + 1, parse_options = parse_options || p_options,
      error = null, pages_done = 0,
        pages_total = null
    where id = p_version and status not in ('queued', 'processing', 'indexing')
    returning attempt
$$;
