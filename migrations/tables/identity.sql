-- Signing in: identity providers of organizations, logins under way, browser sessions, and what privileged callers did.
-- squawk-ignore-file constraint-missing-not-valid, adding-foreign-key-constraint

-- Issuer, client and generation of a provider never change: another issuer is another row (a migration).
create table org_idp_configs (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  generation int not null check (generation > 0),
  issuer text not null,
  client_id text not null,
  client_secret_sealed bytea,
  client_secret_key_version smallint not null default 1 check (client_secret_key_version in (1, 2)),
  token_endpoint_auth text not null
    check (token_endpoint_auth in ('client_secret_basic', 'client_secret_post', 'none')),
  scopes text[] not null,
  alg_allowlist text[] not null check (cardinality(alg_allowlist) > 0),
  claim_mappings jsonb not null default '{}',
  -- An armed address: the next verified login with it becomes owner, once, while there is none.
  bootstrap_owner_email text,
  bootstrap_owner_expires_at timestamptz,
  bootstrap_arm_audit_id uuid,
  discovered_metadata jsonb,
  jwks jsonb,
  discovered_at timestamptz,
  status text not null default 'staged' check (status in ('staged', 'active', 'disabled', 'retired')),
  created_by text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (tenant_id, id),
  unique (tenant_id, generation),
  check ((token_endpoint_auth = 'none') = (client_secret_sealed is null)),
  check (num_nonnulls(bootstrap_owner_email, bootstrap_owner_expires_at, bootstrap_arm_audit_id) in (0, 3))
);
create unique index org_idp_configs_active on org_idp_configs (tenant_id) where status = 'active';
alter table org_idp_configs enable row level security, force row level security;
create policy tenant_isolation on org_idp_configs
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on org_idp_configs to sandgate_system using (true) with check (true);
grant select, insert, update on org_idp_configs to sandgate_app;
grant select on org_idp_configs to sandgate_system;
alter table users add foreign key (tenant_id, idp_config_id) references org_idp_configs (tenant_id, id);

-- One row per login under way. Of the browser's cookie only a digest is kept.
create table login_flows (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  idp_config_id uuid not null,
  pkce_verifier_sealed bytea not null,
  pkce_verifier_key_version smallint not null check (pkce_verifier_key_version in (1, 2)),
  nonce text not null,
  browser_hash text not null check (browser_hash ~ '^[0-9a-f]{64}$'),
  redirect_to text not null,
  consumed_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, id),
  foreign key (tenant_id, idp_config_id) references org_idp_configs (tenant_id, id)
);
create index login_flows_open on login_flows (tenant_id, expires_at) where consumed_at is null;
create index login_flows_config on login_flows (idp_config_id);
alter table login_flows enable row level security, force row level security;
create policy tenant_isolation on login_flows
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on login_flows to sandgate_system using (true) with check (true);
grant select, insert, update, delete on login_flows to sandgate_app;
grant select, delete on login_flows to sandgate_system;

-- Browser sessions. The cookie holds the token; revoking the row ends the session at once.
create table user_sessions (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  membership_id uuid not null,
  user_id uuid not null,
  session_token_sha256 text not null unique check (session_token_sha256 ~ '^[0-9a-f]{64}$'),
  idp_config_id uuid not null,
  acr text,
  amr text[],
  auth_time timestamptz,
  idp_sid text,
  -- Sealed, for signing out at the provider alone.
  id_token_sealed bytea,
  id_token_key_version smallint not null default 1 check (id_token_key_version in (1, 2)),
  source_ip text,
  user_agent text,
  created_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  idle_expires_at timestamptz not null,
  absolute_expires_at timestamptz not null,
  revoked_at timestamptz,
  unique (tenant_id, id),
  foreign key (tenant_id, membership_id) references org_memberships (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, idp_config_id) references org_idp_configs (tenant_id, id),
  check (idle_expires_at <= absolute_expires_at)
);
create index user_sessions_user on user_sessions (user_id) where revoked_at is null;
-- The end is in it so that a list passes over sessions that idled out, of which there are many more than live ones.
create index user_sessions_live on user_sessions (tenant_id, id, idle_expires_at) where revoked_at is null;
create index user_sessions_config on user_sessions (idp_config_id) where revoked_at is null;
create index user_sessions_end on user_sessions (absolute_expires_at);
alter table user_sessions enable row level security, force row level security;
create policy tenant_isolation on user_sessions
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on user_sessions to sandgate_system using (true) with check (true);
grant select, insert, update, delete on user_sessions to sandgate_app;
grant select, update (last_seen_at, idle_expires_at, revoked_at), delete on user_sessions to sandgate_system;

-- A login that would replace the browser's session of somebody else, until the person confirms it.
create table pending_login_switches (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  idp_config_id uuid not null,
  new_membership_id uuid not null,
  new_user_id uuid not null,
  replaced_tenant_id uuid not null,
  replaced_session_id uuid not null,
  redirect_to text not null,
  browser_hash text not null check (browser_hash ~ '^[0-9a-f]{64}$'),
  acr text,
  amr text[],
  auth_time timestamptz,
  idp_sid text,
  id_token_sealed bytea,
  id_token_key_version smallint not null default 1 check (id_token_key_version in (1, 2)),
  consumed_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, id),
  foreign key (tenant_id, idp_config_id) references org_idp_configs (tenant_id, id),
  foreign key (tenant_id, new_membership_id) references org_memberships (tenant_id, id),
  foreign key (tenant_id, new_user_id) references users (tenant_id, id),
  foreign key (replaced_tenant_id, replaced_session_id) references user_sessions (tenant_id, id) on delete cascade
);
create index pending_login_switches_config on pending_login_switches (idp_config_id);
create index pending_login_switches_replaced on pending_login_switches (replaced_session_id);
create index pending_login_switches_expiry on pending_login_switches (expires_at);
alter table pending_login_switches enable row level security, force row level security;
create policy tenant_isolation on pending_login_switches
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on pending_login_switches to sandgate_system using (true) with check (true);
grant select, insert, update, delete on pending_login_switches to sandgate_app;
grant select, delete on pending_login_switches to sandgate_system;

-- Logins of terminals (RFC 8628). A row has no organization before a person confirms it, so only functions touch it.
create table device_logins (
  id uuid primary key,
  tenant_id uuid references tenants (id),
  device_code_sha256 text not null unique check (device_code_sha256 ~ '^[0-9a-f]{64}$'),
  user_code_sha256 text not null check (user_code_sha256 ~ '^[0-9a-f]{64}$'),
  client_name text not null,
  source_ip text not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'consumed')),
  user_id uuid,
  membership_id uuid,
  web_session_id uuid,
  interval_secs int not null default 5,
  last_polled_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  check ((status in ('approved', 'consumed')) = (num_nonnulls(tenant_id, user_id, membership_id) = 3)),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, membership_id) references org_memberships (tenant_id, id)
);
create unique index device_logins_user_code on device_logins (user_code_sha256) where status = 'pending';
create index device_logins_expiry on device_logins (expires_at);
alter table device_logins enable row level security, force row level security;
create policy tenant_isolation on device_logins
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on device_logins to sandgate_system using (true) with check (true);
grant select on device_logins to sandgate_app;
grant select, insert, update, delete on device_logins to sandgate_system;

-- How often something was tried in a minute, for all processes together. The key is a digest.
create table login_throttles (
  key text not null check (key ~ '^[0-9a-f]{64}$'),
  minute timestamptz not null,
  count int not null check (count > 0),
  primary key (key, minute)
);
create index login_throttles_minute on login_throttles (minute);
alter table login_throttles enable row level security, force row level security;
create policy cross_organization on login_throttles to sandgate_system using (true) with check (true);
grant select, insert, update, delete on login_throttles to sandgate_system;

-- Every privileged step: a success in the transaction that it is about, a refusal after it. tenant_id is null for what
-- concerns the deployment.
create table auth_audit_log (
  id uuid primary key,
  tenant_id uuid references tenants (id),
  actor_kind text not null check (actor_kind in ('operator', 'user', 'system')),
  actor_id text not null,
  source_ip text,
  request_id text,
  action text not null,
  target text,
  success boolean not null,
  detail jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp()
);
create index auth_audit_log_organization on auth_audit_log (tenant_id, id desc);
-- What is asked for is mostly rare: one action, or what was refused.
create index auth_audit_log_organization_action on auth_audit_log (tenant_id, action, id desc);
create index auth_audit_log_organization_refused on auth_audit_log (tenant_id, id desc) where not success;
create index auth_audit_log_action on auth_audit_log (action, id desc);
create index auth_audit_log_refused on auth_audit_log (id desc) where not success;
alter table auth_audit_log enable row level security, force row level security;
create policy tenant_isolation on auth_audit_log for select
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy of_the_organization on auth_audit_log for insert
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on auth_audit_log to sandgate_system using (true) with check (true);
grant select, insert on auth_audit_log to sandgate_app, sandgate_system;
create trigger refuse_change before update or delete or truncate on auth_audit_log
  for each statement execute function svc_refuse_change();
