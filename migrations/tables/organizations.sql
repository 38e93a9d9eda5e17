-- Organizations and the data keys that seal their secrets.

-- The slug names an organization in addresses. A suspended one admits none of its people and starts no runs.
create table tenants (
  id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null unique,
  display_name text,
  status text not null default 'active' check (status in ('active', 'suspended')),
  created_at timestamptz not null default now()
);
alter table tenants enable row level security, force row level security;
create policy tenant_isolation on tenants
  using (id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on tenants to sandgate_system using (true) with check (true);
grant select, insert, update on tenants to sandgate_app;
grant select on tenants to sandgate_system;
create trigger open_counter after insert on tenants for each row execute function svc_open_counter();

-- Data keys of organizations, wrapped by the key-encryption key.
create table tenant_deks (
  tenant_id uuid not null,
  version int not null check (version > 0),
  kek_id text not null,
  wrapped_dek bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  primary key (tenant_id, version)
);
alter table tenant_deks enable row level security, force row level security;
create policy tenant_isolation on tenant_deks
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on tenant_deks to sandgate_system using (true) with check (true);
grant select, insert on tenant_deks to sandgate_app;
grant select on tenant_deks to sandgate_system;
