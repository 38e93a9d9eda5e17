-- Who may ask: clients of an organization and the tokens that they got for their secrets.

-- A client without a list of workspaces or projects may use all of its organization. Two secrets live at once while
-- one replaces the other.
create table oauth_clients (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  client_id text not null unique,
  name text not null check (octet_length(name) between 1 and 255),
  secret_hashes bytea[] not null check (cardinality(secret_hashes) between 0 and 2),
  scopes text[] not null,
  workspace_ids uuid[],
  project_ids uuid[],
  expires_at timestamptz,
  revoked_at timestamptz,
  row_version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, id)
);
create index oauth_clients_newest on oauth_clients (org_id, created_at desc, id desc);
alter table oauth_clients enable row level security, force row level security;
create policy org_isolation on oauth_clients
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on oauth_clients to docsvc_system using (true) with check (true);
grant select, insert on oauth_clients to docsvc_system;
grant select, insert, update on oauth_clients to docsvc_app;

create table oauth_tokens (
  token_hash bytea primary key,
  org_id uuid not null references orgs (id),
  client_row_id uuid not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  foreign key (org_id, client_row_id) references oauth_clients (org_id, id)
);
create index oauth_tokens_of_client on oauth_tokens (client_row_id);
create index oauth_tokens_expiry on oauth_tokens (expires_at);
alter table oauth_tokens enable row level security, force row level security;
create policy org_isolation on oauth_tokens
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on oauth_tokens to docsvc_system using (true) with check (true);
grant select, insert, delete on oauth_tokens to docsvc_system;
grant select, update on oauth_tokens to docsvc_app;
