-- Runs of extraction, their attempts and what each came to.

-- The versions are those that were chosen at the start. `items_done`, `warnings`, `error` and the times are of the
-- present attempt; what earlier ones came to is in `extraction_attempts`. `waiting_since`: since when it waits for
-- versions that are still being read.
create table extractions (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  project_id uuid not null,
  schema_id uuid not null,
  schema_version_id uuid not null,
  external_id text not null check (octet_length(external_id) between 1 and 1020),
  request_digest bytea not null check (octet_length(request_digest) = 32),
  mode text not null check (mode in ('per_document', 'combined')),
  engine text not null check (engine in ('local')),
  document_version_ids uuid[] not null check (cardinality(document_version_ids) >= 1),
  first_page int check (first_page >= 1),
  last_page int check (last_page >= 1),
  min_confidence double precision check (min_confidence between 0 and 1),
  metadata jsonb not null default '{}',
  status text not null default 'queued'
    check (status in ('queued', 'waiting', 'running', 'cancelling', 'completed', 'partial', 'failed', 'cancelled')),
  attempt int not null default 1,
  items_done int not null default 0,
  items_total int not null check (items_total >= 1),
  pages int not null default 0,
  milliseconds int not null default 0,
  warnings jsonb not null default '[]',
  error jsonb,
  created_at timestamptz not null default now(),
  waiting_since timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  unique (org_id, id),
  unique (project_id, external_id),
  foreign key (org_id, project_id) references projects (org_id, id),
  foreign key (org_id, schema_version_id) references schema_versions (org_id, id)
);
create index extractions_newest on extractions (org_id, project_id, id desc);
create index extractions_open on extractions (org_id, id)
  where status in ('queued', 'waiting', 'running', 'cancelling');
create index extractions_of_versions on extractions using gin (document_version_ids);
alter table extractions enable row level security, force row level security;
create policy org_isolation on extractions
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on extractions to docsvc_system using (true) with check (true);
grant select on extractions to docsvc_system;
grant select, insert, update, delete on extractions to docsvc_app;

-- How an attempt ended. Written once, with its event.
create table extraction_attempts (
  org_id uuid not null references orgs (id),
  extraction_id uuid not null,
  attempt int not null check (attempt >= 1),
  status text not null check (status in ('completed', 'partial', 'failed', 'cancelled')),
  pages int not null,
  milliseconds int not null,
  warnings jsonb not null,
  error jsonb,
  started_at timestamptz,
  finished_at timestamptz not null,
  primary key (extraction_id, attempt),
  foreign key (org_id, extraction_id) references extractions (org_id, id) on delete cascade
);
alter table extraction_attempts enable row level security, force row level security;
create policy org_isolation on extraction_attempts
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create trigger extraction_attempts_immutable before update on extraction_attempts
  for each row execute function docsvc_refuse_change();
grant select, insert on extraction_attempts to docsvc_app;

-- One document of an attempt, or all of them together; then there is no document in the row. `parts` says where in the
-- blob of the item `result_of` the parts of its result are: of its own, or of an earlier attempt that is not done
-- again. What has ended never changes, but that its result may be purged.
create table extraction_items (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  extraction_id uuid not null,
  attempt int not null check (attempt >= 1),
  item_number int not null check (item_number >= 1),
  document_id uuid,
  document_name text,
  document_version_id uuid,
  version int,
  status text not null default 'queued'
    check (status in ('queued', 'completed', 'partial', 'failed', 'cancelled')),
  result_of uuid,
  parts jsonb,
  pages int not null default 0,
  milliseconds int not null default 0,
  warnings jsonb not null default '[]',
  error jsonb,
  finished_at timestamptz,
  purged_at timestamptz,
  unique (org_id, id),
  unique (extraction_id, attempt, item_number),
  foreign key (org_id, extraction_id) references extractions (org_id, id) on delete cascade,
  check ((status in ('completed', 'partial') and purged_at is null) = (parts is not null)),
  check ((parts is null) = (result_of is null))
);
create index extraction_items_of_version on extraction_items (document_version_id)
  where document_version_id is not null;
create index extraction_items_open on extraction_items (extraction_id, attempt, item_number) where status = 'queued';
alter table extraction_items enable row level security, force row level security;
create policy org_isolation on extraction_items
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on extraction_items to docsvc_system using (true) with check (true);
create trigger extraction_items_ended before update on extraction_items for each row
  when (old.status <> 'queued' and old.purged_at is not distinct from new.purged_at)
  execute function docsvc_refuse_change();
grant select on extraction_items to docsvc_system;
grant select, insert, update on extraction_items to docsvc_app;
