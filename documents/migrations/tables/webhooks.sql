-- Webhooks, the events that they hear of, and the deliveries.

create table webhooks (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  project_id uuid not null,
  url text not null,
  description text,
  events text[] not null check (cardinality(events) between 1 and 20),
  enabled boolean not null default true,
  disabled_reason text,
  include_result boolean not null default false,
  retry jsonb not null default '{"strategy": "standard"}',
  sealed_secret bytea not null,
  sealed_previous_secret bytea,
  previous_secret_until timestamptz,
  failing_since timestamptz,
  row_version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, id),
  foreign key (org_id, project_id) references projects (org_id, id)
);
create index webhooks_of_project on webhooks (org_id, project_id, created_at desc, id desc);
alter table webhooks enable row level security, force row level security;
create policy org_isolation on webhooks
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on webhooks to docsvc_system using (true) with check (true);
grant select, update, delete on webhooks to docsvc_system;
grant select, insert, update, delete on webhooks to docsvc_app;

-- Written in the transaction that changed the state of which they tell. `result`: what a run of extraction came to, for
-- webhooks that want it.
create table events_outbox (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  project_id uuid not null,
  type text not null,
  data jsonb not null,
  result json,
  occurred_at timestamptz not null default now(),
  unique (org_id, id)
);
create index events_outbox_age on events_outbox (occurred_at);
alter table events_outbox enable row level security, force row level security;
create policy org_isolation on events_outbox
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on events_outbox to docsvc_system using (true) with check (true);
grant select, delete on events_outbox to docsvc_system;
grant select, insert on events_outbox to docsvc_app;

-- A redelivery begins a round of its own: `attempts_before_round` were made before it. `postponed` counts how often the
-- attempt that is due has waited for its turn.
create table deliveries (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  project_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  status text not null default 'pending'
    check (status in ('pending', 'retrying', 'succeeded', 'exhausted', 'cancelled')),
  attempts int not null default 0,
  attempts_before_round int not null default 0,
  postponed int not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (webhook_id, event_id),
  unique (org_id, id),
  foreign key (org_id, webhook_id) references webhooks (org_id, id) on delete cascade,
  foreign key (org_id, event_id) references events_outbox (org_id, id) on delete cascade
);
create index deliveries_newest on deliveries (webhook_id, id desc);
create index deliveries_open on deliveries (next_attempt_at) where status in ('pending', 'retrying');
alter table deliveries enable row level security, force row level security;
create policy org_isolation on deliveries
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on deliveries to docsvc_system using (true) with check (true);
grant select, update, delete on deliveries to docsvc_system;
grant select, insert, update on deliveries to docsvc_app;

create table delivery_attempts (
  org_id uuid not null references orgs (id),
  delivery_id uuid not null,
  number int not null check (number >= 1),
  at timestamptz not null,
  status_code int,
  duration_ms int not null,
  error text,
  response_snippet text check (octet_length(response_snippet) <= 1024),
  primary key (delivery_id, number),
  foreign key (org_id, delivery_id) references deliveries (org_id, id) on delete cascade
);
alter table delivery_attempts enable row level security, force row level security;
create policy org_isolation on delivery_attempts
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on delivery_attempts to docsvc_system using (true) with check (true);
grant select, delete on delivery_attempts to docsvc_system;
grant select, insert on delivery_attempts to docsvc_app;
