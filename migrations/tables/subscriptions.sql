-- What starts runs without a person at a terminal: subscriptions, their clocks, and the history of what was asked for.
-- The tables that refer to them are empty when this runs.
-- squawk-ignore-file constraint-missing-not-valid, adding-foreign-key-constraint

-- authority_generation: counts the changes of the callback; a result goes out only under the one its run began with.
create table trigger_subscriptions (
  id uuid primary key,
  tenant_id uuid not null,
  agent_id uuid not null,
  name text not null,
  trigger_kind text not null check (trigger_kind in ('api', 'schedule', 'event')),
  enabled boolean not null default true,
  pinned_revision_id uuid,
  task_template text,
  allow_task_override boolean not null default false,
  allow_workspace_override boolean not null default false,
  autonomy text check (autonomy = 'autonomous'),
  allow_unpriced boolean not null default false,
  concurrency_policy text not null default 'allow'
    check (concurrency_policy in ('allow', 'skip_if_running', 'replace')),
  budget_override jsonb,
  workspace_override jsonb,
  callback_url text,
  callback_secret_sealed bytea,
  callback_secret_key_version smallint not null default 1 check (callback_secret_key_version in (1, 2)),
  authority_generation int not null default 1 check (authority_generation >= 1),
  connection_id uuid,
  repositories text[],
  events text[],
  publish text[] check (publish <@ array['pr_comment', 'check']),
  capability_bundles text[],
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (tenant_id, id),
  constraint trigger_subscriptions_name unique (tenant_id, name),
  check ((trigger_kind = 'event') = (connection_id is not null)),
  check (num_nulls(repositories, events, publish) = case trigger_kind when 'event' then 0 else 3 end),
  check ((callback_url is null) = (callback_secret_sealed is null)),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id),
  foreign key (tenant_id, pinned_revision_id) references agent_revisions (tenant_id, id),
  foreign key (tenant_id, connection_id) references integration_connections (tenant_id, id)
);
create index trigger_subscriptions_newest on trigger_subscriptions (tenant_id, created_at desc, id desc);
create index trigger_subscriptions_connection on trigger_subscriptions (tenant_id, connection_id)
  where connection_id is not null;
alter table trigger_subscriptions enable row level security, force row level security;
create policy tenant_isolation on trigger_subscriptions
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on trigger_subscriptions to sandgate_system using (true) with check (true);
grant select, insert, update on trigger_subscriptions to sandgate_app;
grant select on trigger_subscriptions to sandgate_system;

-- The clock of a subscription. next_fire_at is null when it never fires again; last_fired_at is the nominal time of the
-- last firing that made a run.
create table schedules (
  id uuid primary key,
  tenant_id uuid not null,
  subscription_id uuid not null unique,
  cron text not null,
  timezone text not null,
  missed_run_policy text not null default 'skip' check (missed_run_policy in ('skip', 'catch_up')),
  next_fire_at timestamptz,
  last_fired_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (tenant_id, id),
  foreign key (tenant_id, subscription_id) references trigger_subscriptions (tenant_id, id)
);
create index schedules_due on schedules (next_fire_at) where next_fire_at is not null;
alter table schedules enable row level security, force row level security;
create policy tenant_isolation on schedules
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on schedules to sandgate_system using (true) with check (true);
grant select, insert, update on schedules to sandgate_app;
grant select on schedules to sandgate_system;

-- One row for each time that a subscription was asked to start a run. A skipped row is final; a row of a run stays its
-- own.
create table trigger_invocations (
  id uuid primary key,
  tenant_id uuid not null,
  subscription_id uuid not null,
  idempotency_key text not null,
  request_digest text,
  session_id uuid,
  skip_reason text,
  claimed_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  unique (subscription_id, idempotency_key),
  check (session_id is null or skip_reason is null),
  foreign key (tenant_id, subscription_id) references trigger_subscriptions (tenant_id, id),
  -- The row is written before its run, in the same transaction.
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) deferrable initially deferred
);
create index trigger_invocations_newest on trigger_invocations (subscription_id, created_at desc, id desc);
alter table trigger_invocations enable row level security, force row level security;
create policy tenant_isolation on trigger_invocations
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert, update on trigger_invocations to sandgate_app;

-- Which subscription started a run, and which ones have runs under way.
alter table sessions add foreign key (tenant_id, subscription_id) references trigger_subscriptions (tenant_id, id);
create index sessions_of_subscription on sessions (subscription_id, id desc) where subscription_id is not null;
create index sessions_under_way on sessions (subscription_id)
  where subscription_id is not null and status not in ('completed', 'failed', 'cancelled', 'budget_exceeded');
alter table api_tokens add foreign key (tenant_id, subscription_id) references trigger_subscriptions (tenant_id, id);
alter table run_resource_bindings
  add foreign key (tenant_id, subscription_id) references trigger_subscriptions (tenant_id, id);
