-- Connector definitions.

-- A row without an organization is global: everybody reads it, and only seeds and the import write it, as
-- sandgate_system. No column takes a credential.
create table connector_catalog (
  id uuid primary key,
  tenant_id uuid references tenants (id),
  slug text not null check (slug ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  name text not null,
  icon text,
  description text,
  categories text[] not null default '{}',
  scopes text[] not null default '{}',
  egress text[] not null default '{}',
  tier text not null check (tier in ('verified', 'community', 'custom')),
  url text,
  transport text not null check (transport in ('streamable_http', 'stdio', 'rest_action')),
  auth_mode text not null check (auth_mode in ('none', 'api_key', 'oauth')),
  auth_hints jsonb not null default '{}',
  tool_hints jsonb not null default '[]',
  sandbox_launch jsonb,
  provenance jsonb not null,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((tier = 'custom') = (tenant_id is not null))
);
create unique index connector_catalog_own_slug on connector_catalog (tenant_id, slug) where tenant_id is not null;
create unique index connector_catalog_global_slug on connector_catalog (slug) where tenant_id is null;
alter table connector_catalog enable row level security, force row level security;
create policy tenant_isolation on connector_catalog
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on connector_catalog to sandgate_system using (true) with check (true);
create policy global_rows on connector_catalog for select to sandgate_app
  using (tenant_id is null);
grant select, insert, update, delete on connector_catalog to sandgate_app;
grant select, insert, update on connector_catalog to sandgate_system;
