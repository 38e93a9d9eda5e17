-- Connecting by OAuth: registrations of this deployment, flows under way, and access tokens that processes share.

-- Client registrations of this deployment at authorization servers: one row per issuer and redirect address, shared
-- by all organizations, so its organization is null. Everybody reads such a row; it is written through functions
-- alone. An identity that a person registered by hand is stored with its connection.
create table oauth_client_registrations (
  id uuid primary key,
  tenant_id uuid references tenants (id),
  issuer text not null,
  redirect_uri text not null,
  source text not null check (source in ('dcr', 'cimd')),
  client_id text not null,
  client_secret_sealed bytea,
  client_secret_key_version smallint not null default 1 check (client_secret_key_version in (1, 2)),
  client_secret_expires_at timestamptz,
  registration_endpoint text,
  registration_access_token_sealed bytea,
  registration_access_token_key_version smallint not null default 1
    check (registration_access_token_key_version in (1, 2)),
  token_endpoint_auth_method text not null default 'none'
    check (token_endpoint_auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  unique (issuer, redirect_uri)
);
alter table oauth_client_registrations enable row level security, force row level security;
create policy tenant_isolation on oauth_client_registrations
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on oauth_client_registrations to sandgate_system using (true) with check (true);
create policy of_the_deployment on oauth_client_registrations for select to sandgate_app
  using (tenant_id is null);
grant select, insert, update, delete on oauth_client_registrations to sandgate_app;
grant select, insert, update, delete on oauth_client_registrations to sandgate_system;

-- One row per started connect flow: everything that the callback needs is frozen here, nothing is discovered then. Of
-- the state and of the browser's cookie only digests are kept.
create table connector_oauth_flows (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  connection_id uuid not null,
  initiated_by_user_id uuid,
  state_hash text not null unique check (state_hash ~ '^[0-9a-f]{64}$'),
  browser_hash text not null check (browser_hash ~ '^[0-9a-f]{64}$'),
  issuer text not null,
  iss_required boolean not null,
  authorization_endpoint text not null,
  token_endpoint text not null,
  metadata_digest text not null,
  resource text not null,
  redirect_uri text not null,
  scopes text[] not null,
  challenge text not null,
  challenge_method text not null default 'S256' check (challenge_method = 'S256'),
  client_registration_id uuid references oauth_client_registrations (id) on delete set null,
  client_id text not null,
  client_id_source text not null check (client_id_source in ('preregistered', 'cimd', 'dcr')),
  token_endpoint_auth_method text not null
    check (token_endpoint_auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  pkce_verifier_sealed bytea not null,
  pkce_verifier_key_version smallint not null check (pkce_verifier_key_version in (1, 2)),
  expected_generation int not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  opened_at timestamptz,
  consumed_at timestamptz,
  unique (tenant_id, id),
  foreign key (tenant_id, connection_id) references integration_connections (tenant_id, id),
  foreign key (tenant_id, initiated_by_user_id) references users (tenant_id, id)
);
create index connector_oauth_flows_connection on connector_oauth_flows (tenant_id, connection_id);
create index connector_oauth_flows_expiry on connector_oauth_flows (tenant_id, expires_at);
create index connector_oauth_flows_registration on connector_oauth_flows (client_registration_id);
alter table connector_oauth_flows enable row level security, force row level security;
create policy tenant_isolation on connector_oauth_flows
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on connector_oauth_flows to sandgate_system using (true) with check (true);
grant select, insert, update, delete on connector_oauth_flows to sandgate_app;
grant select, update on connector_oauth_flows to sandgate_system;

-- The newest access token of a connection, for the processes that did not ask for it themselves: without it each
-- would spend a refresh token on the same need. It is deleted when the connection may no longer be used.
create table connector_access_tokens (
  connection_id uuid primary key,
  tenant_id uuid not null,
  authorization_generation int not null,
  token_sealed bytea not null,
  token_key_version smallint not null check (token_key_version in (1, 2)),
  expires_at timestamptz not null,
  foreign key (tenant_id, connection_id) references integration_connections (tenant_id, id)
);
alter table connector_access_tokens enable row level security, force row level security;
create policy tenant_isolation on connector_access_tokens
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on connector_access_tokens to sandgate_system using (true) with check (true);
grant select, insert, update, delete on connector_access_tokens to sandgate_app;
grant select, delete on connector_access_tokens to sandgate_system;
