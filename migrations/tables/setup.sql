-- What setup commands made of a workspace, kept on a host for later runs of the same key; and workspaces that clients
-- sent.

-- content_digest: of the image as it is mounted; null until it is ready. made_by: the run that made it.
create table setup_layers (
  id uuid primary key,
  tenant_id uuid not null references tenants (id) on delete cascade,
  host_id uuid not null,
  key_digest text not null,
  state text not null check (state in ('building', 'ready', 'broken')),
  content_digest text,
  bytes bigint,
  files int,
  made_by uuid not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  unique (host_id, tenant_id, key_digest),
  constraint setup_layers_ready check (state <> 'ready' or content_digest is not null)
);
create index setup_layers_oldest on setup_layers (host_id, last_used_at);
alter table setup_layers enable row level security, force row level security;
create policy tenant_isolation on setup_layers
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on setup_layers to sandgate_system using (true) with check (true);
grant select, insert, update, delete on setup_layers to sandgate_app;
grant select, update, delete on setup_layers to sandgate_system;

-- owner_user_id: null for the operator. session_id: the one run that used it. base_commit: what the client's files were
-- changed from, where it knows.
create table workspace_uploads (
  id uuid primary key,
  tenant_id uuid not null references tenants (id) on delete cascade,
  owner_kind text not null,
  owner_user_id uuid,
  state text not null check (state in ('receiving', 'ready', 'used', 'expired')),
  digest text,
  bytes bigint,
  files int,
  left_out int not null default 0,
  base_commit text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  session_id uuid,
  unique (tenant_id, id),
  constraint workspace_uploads_ready check (state not in ('ready', 'used') or digest is not null)
);
create index workspace_uploads_expiring on workspace_uploads (expires_at) where state in ('receiving', 'ready');
alter table workspace_uploads enable row level security, force row level security;
create policy tenant_isolation on workspace_uploads
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on workspace_uploads to sandgate_system using (true) with check (true);
grant select, insert, update, delete on workspace_uploads to sandgate_app;
grant select, update, delete on workspace_uploads to sandgate_system;
