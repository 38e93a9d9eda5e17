-- Documents, their versions and what reading them came to.

-- Bytes that an organization keeps.
create or replace function docsvc_kept_bytes(p_org uuid)
returns bigint
language sql stable
as $$
  select coalesce(
    (select c.amount from usage_counters c
      where c.org_id = p_org and c.kind = 'storage_bytes' and c.period = date '1970-01-01'),
    0)
$$;

-- Adds to what an organization keeps. Null, or the quota that would be passed; then nothing is added.
create or replace function docsvc_count_kept(p_org uuid, p_kind text, p_amount bigint, p_most bigint)
returns text
language plpgsql
as $$
begin
  insert into usage_counters as c (org_id, kind, period, amount)
  select p_org, p_kind, date '1970-01-01', p_amount where p_most is null or p_amount <= p_most
  on conflict (org_id, kind, period) do update set amount = c.amount + p_amount
    where p_most is null or c.amount + p_amount <= p_most;
  return case when not found then p_kind end;
end
$$;

-- A version of the document of this name in a project, and the document where there is none. Versions of one document
-- are made one after the other. Metadata and labels replace those of the document where there are any. The digest
-- is that of bytes which were read before. refused names the quota that would be passed; then nothing is made.
create or replace function docsvc_add_version(
  p_id uuid, p_document uuid, p_project uuid, p_name text, p_blob_key text, p_content_type text, p_size bigint,
  p_declared_sha256 bytea, p_sha256 bytea, p_metadata jsonb, p_labels text[], p_most_documents bigint,
  p_most_bytes bigint
)
returns table (document_id uuid, version int, refused text)
language plpgsql
as $$
declare
  org uuid := current_setting('docsvc.org_id')::uuid;
  doc uuid;
  passed text;
  next_version int;
begin
  loop
    select d.id into doc from documents d
      where d.project_id = p_project and d.name = p_name and d.deleted_at is null for update;
    exit when found;
    insert into documents as d (id, org_id, project_id, name, metadata, labels)
    values (p_document, org, p_project, p_name, p_metadata, p_labels)
    on conflict (project_id, name) where deleted_at is null do nothing
    returning d.id into doc;
    if doc is null then continue; end if;
    passed := docsvc_count_kept(org, 'documents', 1, p_most_documents);
    exit;
  end loop;
  passed := coalesce(passed, docsvc_count_kept(org, 'storage_bytes', p_size, p_most_bytes));
  if passed is not null then
    return query select null::uuid, 0, passed;
    return;
  end if;
  select coalesce(max(v.version), 0) + 1 into next_version from document_versions v where v.document_id = doc;
  insert into document_versions (id, org_id, project_id, document_id, version, blob_key, content_type, size_bytes,
    declared_sha256, sha256)
  values (p_id, org, p_project, doc, next_version, p_blob_key, p_content_type, p_size, p_declared_sha256, p_sha256);
  update documents d set latest_version_id = p_id, updated_at = clock_timestamp(), row_version = d.row_version + 1,
      metadata = case when p_metadata = '{}' then d.metadata else p_metadata end,
      labels = case when p_labels = '{}' then d.labels else p_labels end
    where d.id = doc;
  return query select doc, next_version, null::text;
end
$$;

-- Documents as they are shown, with their latest versions.
create or replace function docsvc_view_documents(p_ids uuid[])
returns table (
  id uuid, project_id uuid, name text, kind text, content_type text, status text, latest_version int,
  latest_version_id uuid, size_bytes bigint, page_count int, metadata jsonb, labels text[], row_version int,
  created_at timestamptz, updated_at timestamptz
)
language sql stable
as $$
  select d.id, d.project_id, d.name, d.kind, v.content_type, v.status, v.version, v.id, v.size_bytes,
      coalesce(p.page_count, v.pages_total), d.metadata, d.labels, d.row_version, d.created_at, d.updated_at
    from documents d
    join document_versions v on v.id = d.latest_version_id
    left join parses p on p.id = v.parse_id
    where d.id = any (p_ids) and d.deleted_at is null
    order by d.id desc
$$;

-- A page of documents of a project, newest first, behind one of them. A filter that is null lets all through.
create or replace function docsvc_list_documents(
  p_project uuid, p_status text, p_kind text, p_label text, p_name_prefix text, p_updated_after timestamptz,
  p_after uuid, p_limit int
)
returns setof uuid
language sql stable
as $$
  select d.id from documents d
    join document_versions v on v.id = d.latest_version_id
    where d.org_id = current_setting('docsvc.org_id')::uuid and d.project_id = p_project and d.deleted_at is null
      and (p_status is null or v.status = p_status)
      and (p_kind is null or d.kind = p_kind)
      and (p_label is null or p_label = any (d.labels))
      and (p_name_prefix is null or starts_with(d.name, p_name_prefix))
      and (p_updated_after is null or d.updated_at > p_updated_after)
      and (p_after is null or d.id < p_after)
    order by d.id desc limit p_limit
$$;

-- Versions of a document, newest first: one of them, or those before one.
create or replace function docsvc_view_versions(p_document uuid, p_version int, p_before int, p_limit int)
returns table (
  id uuid, document_id uuid, project_id uuid, version int, blob_key text, content_type text, size_bytes bigint,
  sha256 bytea, status text, stage text, pages_done int, pages_total int, page_count int, ocr_pages int,
  failed_pages int[], language text, warnings jsonb, error jsonb, created_at timestamptz, ready_at timestamptz,
    parse_id uuid
)
language sql stable
as $$
  select v.id, v.document_id, v.project_id, v.version, v.blob_key, v.content_type, v.size_bytes, v.sha256, v.status,
      v.stage, v.pages_done, v.pages_total, p.page_count, coalesce(p.ocr_pages, 0), coalesce(p.failed_pages, '{}'),
      p.language, coalesce(p.warnings, '[]') || v.warnings, v.error, v.created_at, v.ready_at, v.parse_id
    from document_versions v
    left join parses p on p.id = v.parse_id
    where v.document_id = p_document and (p_version is null or v.version = p_version)
      and (p_before is null or v.version < p_before)
    order by v.version desc limit p_limit
$$;
