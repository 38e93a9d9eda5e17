-- Organizations, their workspaces and projects.

-- The signing salt makes signed addresses of one organization worthless in another.
create table orgs (
  id uuid primary key,
  name text not null check (octet_length(name) between 1 and 255),
  signing_salt bytea not null check (octet_length(signing_salt) = 32),
  created_at timestamptz not null default now()
);
alter table orgs enable row level security, force row level security;
create policy org_isolation on orgs
  using (id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on orgs to docsvc_system using (true) with check (true);
grant select, insert on orgs to docsvc_system;
grant select on orgs to docsvc_app;

create table workspaces (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  name text not null check (octet_length(name) between 1 and 255),
  slug text not null check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  description text,
  row_version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, slug),
  unique (org_id, id)
);
create index workspaces_newest on workspaces (org_id, created_at desc, id desc);
alter table workspaces enable row level security, force row level security;
create policy org_isolation on workspaces
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on workspaces to docsvc_system using (true) with check (true);
grant select, insert on workspaces to docsvc_system;
grant select, insert, update, delete on workspaces to docsvc_app;

-- An archived project frees its name, and is purged 30 days later.
create table projects (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  workspace_id uuid not null,
  name text not null check (octet_length(name) between 1 and 255),
  description text,
  settings jsonb not null default '{}',
  row_version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  unique (org_id, id),
  foreign key (org_id, workspace_id) references workspaces (org_id, id)
);
create unique index projects_name on projects (workspace_id, name) where archived_at is null;
create index projects_newest on projects (org_id, created_at desc, id desc);
alter table projects enable row level security, force row level security;
create policy org_isolation on projects
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on projects to docsvc_system using (true) with check (true);
grant select, insert on projects to docsvc_system;
grant select, insert, update, delete on projects to docsvc_app;
