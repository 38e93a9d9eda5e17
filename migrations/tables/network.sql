-- What runs were granted of the network, and what they reached. An offline run has no row here.

-- decided_at, reason: when and why it stopped being pending, or active.
create table network_grants (
  session_id uuid primary key,
  tenant_id uuid not null,
  status text not null check (status in ('pending', 'active', 'denied', 'revoked')),
  grant_digest text not null,
  expires_at timestamptz not null,
  approval_id uuid,
  decided_at timestamptz,
  reason text,
  foreign key (tenant_id, session_id) references sessions (tenant_id, id)
);
create index network_grants_expiring on network_grants (expires_at) where status = 'active';
alter table network_grants enable row level security, force row level security;
create policy tenant_isolation on network_grants
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on network_grants to sandgate_system using (true) with check (true);
grant select, insert, update on network_grants to sandgate_app;
grant select, update on network_grants to sandgate_system;

-- Connections of a run, counted by target: names, ports and bytes, never content. The target `*` at port 0 stands for
-- refused ones beyond those that are counted apart.

-- ledgered: how many of the connections events tell of.
create table network_flows (
  session_id uuid not null,
  tenant_id uuid not null,
  target text not null check (length(target) <= 300),
  port int not null,
  verdict text not null check (verdict in ('allowed', 'denied')),
  connections bigint not null,
  bytes_sent bigint not null,
  bytes_received bigint not null,
  ledgered bigint not null default 0,
  first_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  primary key (session_id, target, port, verdict),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id)
);
alter table network_flows enable row level security, force row level security;
create policy tenant_isolation on network_flows
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert, update on network_flows to sandgate_app;

-- Processes that count connections of a run and have not put all of them on the record. One that is gone without
-- having left this table has lost what it counted last.
create table network_observers (
  session_id uuid not null,
  tenant_id uuid not null,
  process_id uuid not null,
  primary key (session_id, process_id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id)
);
alter table network_observers enable row level security, force row level security;
create policy tenant_isolation on network_observers
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on network_observers to sandgate_system using (true) with check (true);
grant select, insert, delete on network_observers to sandgate_app;
grant select on network_observers to sandgate_system;
