-- Webhooks of code hosts, stored once their signature verified, and what came of each.

-- event: what the mapping read from the payload. handled_at: every match has its dispatch, or there was none.
create table trigger_deliveries (
  id uuid primary key,
  tenant_id uuid not null,
  connection_id uuid not null,
  external_event_id text not null,
  event_type text not null,
  payload json not null,
  payload_digest text not null check (payload_digest ~ '^sha256:[0-9a-f]{64}$'),
  event jsonb not null,
  occurred_at timestamptz,
  received_at timestamptz not null default clock_timestamp(),
  handled_at timestamptz,
  unique (tenant_id, id),
  unique (connection_id, external_event_id),
  foreign key (tenant_id, connection_id) references integration_connections (tenant_id, id)
);
-- A host that sends an event again may give it another id.
create index trigger_deliveries_again on trigger_deliveries (connection_id, event_type, payload_digest, received_at);
create index trigger_deliveries_newest on trigger_deliveries (connection_id, received_at desc, id desc);
create index trigger_deliveries_handled on trigger_deliveries (handled_at) where handled_at is not null;
create index trigger_deliveries_unhandled on trigger_deliveries (received_at) where handled_at is null;
alter table trigger_deliveries enable row level security, force row level security;
create policy tenant_isolation on trigger_deliveries
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on trigger_deliveries to sandgate_system using (true) with check (true);
grant select, insert, update on trigger_deliveries to sandgate_app;
grant select, delete on trigger_deliveries to sandgate_system;

-- The history of a trigger, which stays when the delivery is no longer kept: it says itself what the event was.
create table trigger_dispatches (
  id uuid primary key,
  tenant_id uuid not null,
  delivery_id uuid,
  subscription_id uuid not null,
  event_type text not null,
  resource text not null,
  session_id uuid,
  status text not null check (status in ('created', 'skipped', 'error')),
  skip_reason text,
  created_at timestamptz not null default clock_timestamp(),
  constraint trigger_dispatches_once unique (delivery_id, subscription_id),
  check ((status = 'created') = (session_id is not null)),
  check ((status = 'created') = (skip_reason is null)),
  foreign key (tenant_id, delivery_id) references trigger_deliveries (tenant_id, id)
    on delete set null (delivery_id),
  foreign key (tenant_id, subscription_id) references trigger_subscriptions (tenant_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id)
);
create index trigger_dispatches_newest on trigger_dispatches (subscription_id, created_at desc, id desc);
alter table trigger_dispatches enable row level security, force row level security;
create policy tenant_isolation on trigger_dispatches
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert, update on trigger_dispatches to sandgate_app;
