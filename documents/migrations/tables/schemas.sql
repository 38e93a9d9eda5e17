-- Schemas of projects and their versions, which never change.

create table schemas (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  project_id uuid not null,
  name text not null check (octet_length(name) between 1 and 255),
  description text,
  latest_version int not null default 1 check (latest_version >= 1),
  latest_version_id uuid not null,
  row_version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  unique (org_id, id),
  foreign key (org_id, project_id) references projects (org_id, id)
);
create unique index schemas_name on schemas (project_id, name) where archived_at is null;
create index schemas_newest on schemas (org_id, project_id, id desc) where archived_at is null;
alter table schemas enable row level security, force row level security;
create policy org_isolation on schemas
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
grant select, insert, update, delete on schemas to docsvc_app;

-- The text of a schema is kept as `json`: its members keep their order, which is that of columns. The digest is of what
-- it says. Rows go with their schema, and in no other way.
create table schema_versions (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  schema_id uuid not null,
  version int not null check (version >= 1),
  json_schema json not null,
  digest bytea not null check (octet_length(digest) = 32),
  source text not null check (source in ('manual', 'generated', 'inferred')),
  field_count int not null check (field_count >= 1),
  created_at timestamptz not null default now(),
  unique (org_id, id),
  unique (schema_id, version),
  unique (schema_id, digest),
  foreign key (org_id, schema_id) references schemas (org_id, id) on delete cascade
);
alter table schema_versions enable row level security, force row level security;
create policy org_isolation on schema_versions
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create trigger schema_versions_immutable before update on schema_versions
  for each row execute function docsvc_refuse_change();
grant select, insert on schema_versions to docsvc_app;
