-- The outbound limits that all processes share. Hosts are stored as digests only.

-- Counts of the current minute.
create table egress_rate_windows (
  tenant_id uuid not null references tenants (id) on delete cascade,
  scope text not null check (scope in ('tenant', 'user', 'connection', 'host')),
  key text not null check (length(key) <= 64),
  window_start timestamptz not null,
  used int not null,
  primary key (tenant_id, scope, key)
);
alter table egress_rate_windows enable row level security, force row level security;
create policy tenant_isolation on egress_rate_windows
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert, update, delete on egress_rate_windows to sandgate_app;

-- The breaker of each connection and host.
create table egress_breakers (
  tenant_id uuid not null references tenants (id) on delete cascade,
  connection_id uuid not null,
  host_digest text not null check (length(host_digest) <= 64),
  failures int not null,
  -- Null while it is closed.
  opened_at timestamptz,
  -- Since when one call probes the host.
  probing_since timestamptz,
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, connection_id, host_digest)
);
alter table egress_breakers enable row level security, force row level security;
create policy tenant_isolation on egress_breakers
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert, update, delete on egress_breakers to sandgate_app;
