-- Credential grants, the snapshots of what connected servers offer, the bindings of runs, and code-host apps.

-- A grant of an organization or of one of its people. Whose it is, and of what kind, never changes; a revoked row
-- stays revoked but for an app installation that is approved anew.
-- checks_refused_generation: the one under which the code host refused it check runs.
create table integration_connections (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  provider text not null check (provider in ('codehost', 'codehost_app', 'mcp_http')),
  external_account_id text not null,
  display_name text not null,
  granted_scopes text[] not null default '{}',
  resource_selection jsonb not null default '{}',
  status text not null check (status in ('pending', 'active', 'suspended', 'error', 'revoked')),
  metadata jsonb not null default '{}',
  auth_kind text not null check (auth_kind in ('static', 'oauth', 'none')),
  oauth jsonb,
  registration_id uuid,
  owner_type text not null check (owner_type in ('organization', 'user')),
  owner_user_id uuid,
  created_by_user_id uuid,
  authorization_generation int not null default 1 check (authorization_generation >= 1),
  checks_refused_generation int,
  credential_sealed bytea,
  credential_key_version smallint not null default 1 check (credential_key_version in (1, 2)),
  webhook_secret_sealed bytea,
  webhook_secret_key_version smallint not null default 1 check (webhook_secret_key_version in (1, 2)),
  client_secret_sealed bytea,
  client_secret_key_version smallint not null default 1 check (client_secret_key_version in (1, 2)),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (tenant_id, id),
  check ((owner_type = 'user') = (owner_user_id is not null)),
  check (provider <> 'codehost_app' or owner_type = 'organization'),
  check ((auth_kind = 'oauth') = (oauth is not null)),
  foreign key (tenant_id, owner_user_id) references users (tenant_id, id),
  foreign key (tenant_id, created_by_user_id) references users (tenant_id, id)
);
create index integration_connections_newest on integration_connections (tenant_id, created_at desc, id desc);
create index integration_connections_owner on integration_connections (tenant_id, owner_user_id);
create unique index integration_connections_live_installation
  on integration_connections (tenant_id, provider, external_account_id)
  where provider = 'codehost_app' and status <> 'revoked';
alter table integration_connections enable row level security, force row level security;
create policy tenant_isolation on integration_connections
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on integration_connections to sandgate_system using (true) with check (true);
grant select, insert, update on integration_connections to sandgate_app;
grant select on integration_connections to sandgate_system;
create trigger guard_connection before update on integration_connections
  for each row execute function svc_guard_connection();
create trigger forget_access_token after update on integration_connections for each row
  when (new.status <> 'active' or new.authorization_generation <> old.authorization_generation)
  execute function svc_forget_access_token();

-- Numbered per connection and append-only, so that a run's tool set can refer to one forever.
create table connection_tool_snapshots (
  id uuid primary key,
  tenant_id uuid not null,
  connection_id uuid not null,
  snapshot_version int not null check (snapshot_version >= 1),
  authorization_generation int not null,
  protocol_version text not null,
  tools_json json not null,
  tools_digest text not null check (tools_digest ~ '^sha256:[0-9a-f]{64}$'),
  discovered_at timestamptz not null,
  created_at timestamptz not null default now(),
  unique (tenant_id, connection_id, snapshot_version),
  foreign key (tenant_id, connection_id) references integration_connections (tenant_id, id)
);
alter table connection_tool_snapshots enable row level security, force row level security;
create policy tenant_isolation on connection_tool_snapshots
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert on connection_tool_snapshots to sandgate_app;
create trigger refuse_change before update or delete or truncate on connection_tool_snapshots
  for each statement execute function svc_refuse_change();

-- With whose authority each slot of a run acts: inserted with the run, never changed.
create table run_resource_bindings (
  id uuid primary key,
  tenant_id uuid not null,
  session_id uuid not null,
  requirement_slot text not null,
  slot_kind text not null check (slot_kind in ('mcp', 'workspace_fetch', 'result_publish')),
  authority_kind text not null check (authority_kind in ('connection', 'subscription_secret', 'none')),
  connection_id uuid,
  subscription_id uuid,
  authority_generation int,
  connection_owner_type text check (connection_owner_type in ('organization', 'user')),
  connection_owner_user_id uuid,
  snapshot_version int,
  effective_tools_json jsonb,
  effective_tools_digest text,
  resource_scope jsonb not null default '{}',
  resolved_by_principal_kind text not null
    check (resolved_by_principal_kind in ('user', 'operator', 'trigger', 'schedule', 'webhook', 'system')),
  resolved_by_principal_id uuid,
  binding_mode text not null check (binding_mode in ('invoking_user', 'organization', 'explicit')),
  created_at timestamptz not null default now(),
  unique (tenant_id, session_id, slot_kind, requirement_slot),
  unique (tenant_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id),
  foreign key (tenant_id, connection_id) references integration_connections (tenant_id, id),
  foreign key (tenant_id, connection_owner_user_id) references users (tenant_id, id),
  foreign key (tenant_id, connection_id, snapshot_version)
    references connection_tool_snapshots (tenant_id, connection_id, snapshot_version),
  constraint authority_is_whole check (case authority_kind
    when 'connection' then
      connection_id is not null and authority_generation is not null and connection_owner_type is not null
      and subscription_id is null
      and (connection_owner_user_id is not null) = (connection_owner_type = 'user')
    when 'subscription_secret' then
      subscription_id is not null and authority_generation is not null
      and num_nonnulls(connection_id, connection_owner_type, connection_owner_user_id) = 0
    else
      num_nonnulls(connection_id, subscription_id, authority_generation, connection_owner_type,
        connection_owner_user_id) = 0
    end),
  constraint tool_set_of_mcp_alone check (
    num_nonnulls(snapshot_version, effective_tools_json, effective_tools_digest)
      = case slot_kind when 'mcp' then 3 else 0 end),
  constraint mcp_has_a_connection check (slot_kind <> 'mcp' or authority_kind = 'connection')
);
create index run_resource_bindings_of_connection on run_resource_bindings (connection_id)
  where connection_id is not null;
alter table run_resource_bindings enable row level security, force row level security;
create policy tenant_isolation on run_resource_bindings
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert on run_resource_bindings to sandgate_app;
create trigger refuse_change before update or delete or truncate on run_resource_bindings
  for each statement execute function svc_refuse_change();

-- Identity and sealed secrets of an app that several installations share. Rows are revoked, never removed.
create table github_app_registrations (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  status text not null default 'pending' check (status in ('pending', 'active', 'revoked')),
  target_kind text not null check (target_kind in ('personal', 'organization')),
  target_org text,
  app_id text,
  slug text,
  name text,
  client_id text,
  html_url text,
  owner_login text,
  pem_sealed bytea,
  pem_key_version smallint not null default 1 check (pem_key_version in (1, 2)),
  webhook_secret_sealed bytea,
  webhook_secret_key_version smallint not null default 1 check (webhook_secret_key_version in (1, 2)),
  client_secret_sealed bytea,
  client_secret_key_version smallint not null default 1 check (client_secret_key_version in (1, 2)),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (tenant_id, id),
  constraint active_app_is_whole check (status <> 'active' or num_nonnulls(app_id, slug, pem_sealed) = 3)
);
alter table github_app_registrations enable row level security, force row level security;
create policy tenant_isolation on github_app_registrations
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on github_app_registrations to sandgate_system using (true) with check (true);
grant select, insert, update on github_app_registrations to sandgate_app;
grant select on github_app_registrations to sandgate_system;

-- A visit of a browser to the code host, to register an app or to install one. Of the browser's cookie only a digest
-- is kept.
create table github_app_flows (
  id uuid primary key,
  tenant_id uuid not null,
  registration_id uuid not null,
  purpose text not null check (purpose in ('manifest', 'install')),
  browser_hash text check (browser_hash ~ '^[0-9a-f]{64}$'),
  bootstrap_consumed_at timestamptz,
  consumed_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, id),
  check ((browser_hash is null) = (bootstrap_consumed_at is null)),
  foreign key (tenant_id, registration_id) references github_app_registrations (tenant_id, id)
);
create index github_app_flows_expiry on github_app_flows (tenant_id, expires_at);
alter table github_app_flows enable row level security, force row level security;
create policy tenant_isolation on github_app_flows
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on github_app_flows to sandgate_system using (true) with check (true);
grant select, insert, update, delete on github_app_flows to sandgate_app;
grant select on github_app_flows to sandgate_system;
