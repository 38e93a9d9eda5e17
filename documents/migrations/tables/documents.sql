-- Documents and their versions.

-- `latest_version_id` is the newest version, `searchable_version_id` the newest that was read: it stays searchable
-- until the next one is, also while it is read again.
create table documents (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  project_id uuid not null,
  name text not null check (octet_length(name) between 1 and 255),
  kind text not null default 'other' check (kind in ('pdf', 'image', 'spreadsheet', 'text', 'other')),
  metadata jsonb not null default '{}',
  labels text[] not null default '{}',
  latest_version_id uuid,
  searchable_version_id uuid,
  row_version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  unique (org_id, id),
  foreign key (org_id, project_id) references projects (org_id, id)
);
create unique index documents_name on documents (project_id, name) where deleted_at is null;
create index documents_newest on documents (org_id, project_id, id desc) where deleted_at is null;
create index documents_searchable on documents (searchable_version_id) where searchable_version_id is not null;
alter table documents enable row level security, force row level security;
create policy org_isolation on documents
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on documents to docsvc_system using (true) with check (true);
grant select, update, delete on documents to docsvc_system;
grant select, insert, update, delete on documents to docsvc_app;

-- What reading certain bytes with certain options came to. Versions with the same bytes share one, so nothing is read
-- twice. `version_id` and `attempt` say for whom it was made. One that nobody uses any more is `obsolete`, since
-- `retired_at`, until it is swept with its blobs.
create table parses (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  project_id uuid not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  options_digest bytea not null,
  version_id uuid not null,
  attempt int not null,
  status text not null default 'running' check (status in ('running', 'ready', 'partial', 'obsolete')),
  page_count int,
  ocr_pages int not null default 0,
  failed_pages int[] not null default '{}',
  language text,
  warnings jsonb not null default '[]',
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  retired_at timestamptz,
  unique (org_id, id),
  foreign key (org_id, project_id) references projects (org_id, id),
  check ((retired_at is not null) = (status = 'obsolete'))
);
create unique index parses_by_bytes on parses (project_id, sha256, options_digest) where status in ('ready', 'partial');
create unique index parses_by_attempt on parses (version_id, attempt);
create index parses_unused on parses ((coalesce(retired_at, created_at))) where status in ('running', 'obsolete');
alter table parses enable row level security, force row level security;
create policy org_isolation on parses
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on parses to docsvc_system using (true) with check (true);
grant select, update, delete on parses to docsvc_system;
grant select, insert, update, delete on parses to docsvc_app;

create table document_versions (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  project_id uuid not null,
  document_id uuid not null,
  version int not null check (version >= 1),
  blob_key text not null,
  content_type text,
  size_bytes bigint not null check (size_bytes between 1 and 5000000000000),
  declared_sha256 bytea check (octet_length(declared_sha256) = 32),
  sha256 bytea check (octet_length(sha256) = 32),
  status text not null default 'queued'
    check (status in ('queued', 'processing', 'indexing', 'ready', 'partial', 'stored', 'failed', 'quarantined')),
  stage text check (stage in ('validate', 'parse', 'ocr', 'tables', 'index')),
  attempt int not null default 1,
  parse_options jsonb not null default '{}',
  parse_id uuid,
  pages_done int not null default 0,
  pages_total int,
  lost_ms int not null default 0,
  warnings jsonb not null default '[]',
  error jsonb,
  created_at timestamptz not null default now(),
  ready_at timestamptz,
  unique (document_id, version),
  unique (org_id, id),
  foreign key (org_id, document_id) references documents (org_id, id) on delete cascade,
  foreign key (org_id, parse_id) references parses (org_id, id),
  check (parse_id is null or status <> 'quarantined')
);
create index document_versions_of_parse on document_versions (parse_id) where parse_id is not null;
create index document_versions_under_way on document_versions (created_at)
  where status in ('queued', 'processing', 'indexing');
alter table document_versions enable row level security, force row level security;
create policy org_isolation on document_versions
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on document_versions to docsvc_system using (true) with check (true);
grant select, update, delete on document_versions to docsvc_system;
grant select, insert, update, delete on document_versions to docsvc_app;
