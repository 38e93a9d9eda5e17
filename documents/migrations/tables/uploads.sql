-- Uploads in parts.

create table upload_sessions (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  project_id uuid not null,
  client_row_id uuid not null,
  name text not null check (octet_length(name) between 1 and 255),
  size_bytes bigint not null check (size_bytes between 1 and 5000000000000),
  part_size_bytes bigint not null check (part_size_bytes > 0),
  part_count int not null check (part_count between 1 and 10000),
  content_type text,
  declared_sha256 bytea check (octet_length(declared_sha256) = 32),
  metadata jsonb not null default '{}',
  labels text[] not null default '{}',
  status text not null default 'open'
    check (status in ('open', 'completing', 'completed', 'failed', 'aborted', 'expired')),
  error jsonb,
  document_id uuid,
  version_id uuid,
  row_version int not null default 1,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  finished_at timestamptz,
  unique (org_id, id),
  foreign key (org_id, project_id) references projects (org_id, id)
);
create index upload_sessions_open on upload_sessions (org_id, project_id, id desc)
  where status in ('open', 'completing', 'failed');
create index upload_sessions_ended on upload_sessions (finished_at)
  where status in ('completed', 'aborted', 'expired');
create index upload_sessions_expiry on upload_sessions (expires_at) where status in ('open', 'failed');
alter table upload_sessions enable row level security, force row level security;
create policy org_isolation on upload_sessions
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on upload_sessions to docsvc_system using (true) with check (true);
grant select, update, delete on upload_sessions to docsvc_system;
grant select, insert, update, delete on upload_sessions to docsvc_app;

-- A part is here once its bytes and its digest are durable.
create table upload_parts (
  org_id uuid not null references orgs (id),
  session_id uuid not null,
  part_number int not null check (part_number between 1 and 10000),
  etag text not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  size_bytes bigint not null check (size_bytes > 0),
  received_at timestamptz not null default now(),
  primary key (session_id, part_number),
  foreign key (org_id, session_id) references upload_sessions (org_id, id) on delete cascade
);
alter table upload_parts enable row level security, force row level security;
create policy org_isolation on upload_parts
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on upload_parts to docsvc_system using (true) with check (true);
grant select, delete on upload_parts to docsvc_system;
grant select, insert, update, delete on upload_parts to docsvc_app;
