-- Policies and their insert-only versions.

-- Deleting the identity is the one way to erase versions.
create table policies (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  name text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (tenant_id, name),
  unique (tenant_id, id)
);
alter table policies enable row level security, force row level security;
create policy tenant_isolation on policies
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert, update, delete on policies to sandgate_app;

create table policy_versions (
  id uuid primary key,
  tenant_id uuid not null,
  policy_id uuid not null,
  version int not null check (version > 0),
  content jsonb not null,
  yaml_source text,
  summary text,
  author text not null check (author in ('seed', 'api', 'ui', 'import')),
  author_user_id uuid,
  created_at timestamptz not null default now(),
  unique (policy_id, version),
  foreign key (tenant_id, policy_id) references policies (tenant_id, id) on delete cascade
);
alter table policy_versions enable row level security, force row level security;
create policy tenant_isolation on policy_versions
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert on policy_versions to sandgate_app;
create trigger refuse_change before update or delete or truncate on policy_versions
  for each statement execute function svc_refuse_version_change();
