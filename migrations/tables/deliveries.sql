-- The results of runs on their way to where people look.

-- One row for each destination of a run that ended. attempts counts those on the record since it was last sent on its
-- way; resends, how often a person had it sent again.
create table result_deliveries (
  id uuid primary key,
  tenant_id uuid not null,
  session_id uuid not null,
  subscription_id uuid not null,
  destination_index int not null check (destination_index >= 0),
  destination jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  resends int not null default 0,
  next_attempt_at timestamptz,
  last_error text,
  payload_digest text check (payload_digest ~ '^sha256:[0-9a-f]{64}$'),
  delivered_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, id),
  unique (session_id, destination_index),
  check ((status = 'delivered') = (delivered_at is not null)),
  check ((status = 'pending') = (next_attempt_at is not null)),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id),
  foreign key (tenant_id, subscription_id) references trigger_subscriptions (tenant_id, id)
);
create index result_deliveries_subscription on result_deliveries (subscription_id, created_at desc, id desc);
create index result_deliveries_pending on result_deliveries (next_attempt_at) where status = 'pending';
alter table result_deliveries enable row level security, force row level security;
create policy tenant_isolation on result_deliveries
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on result_deliveries to sandgate_system using (true) with check (true);
grant select, insert, update on result_deliveries to sandgate_app;
grant select on result_deliveries to sandgate_system;

-- What was published for a subscription at a place of the code host, so that a later result edits it.
create table external_results (
  id uuid primary key,
  tenant_id uuid not null,
  subscription_id uuid not null,
  kind text not null check (kind in ('codehost_pr_comment', 'codehost_check_run', 'codehost_commit_status')),
  resource_key text not null,
  external_id text not null,
  external_url text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (subscription_id, kind, resource_key),
  foreign key (tenant_id, subscription_id) references trigger_subscriptions (tenant_id, id)
);
alter table external_results enable row level security, force row level security;
create policy tenant_isolation on external_results
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert, update on external_results to sandgate_app;
