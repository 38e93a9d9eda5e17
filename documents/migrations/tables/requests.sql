-- What is kept of requests: answers that are repeated, rates, the audit and usage.

-- `request_digest` covers method, path and body. A row without a status belongs to a request that is being answered,
-- or that died: until it has committed something, the key can be claimed anew once `claimed_until` is over.
create table idempotency_keys (
  org_id uuid not null references orgs (id),
  client_row_id uuid not null,
  key text not null check (octet_length(key) between 1 and 255),
  request_digest bytea not null,
  claim uuid not null,
  claimed_until timestamptz not null,
  committed boolean not null default false,
  status int,
  sealed_answer bytea,
  headers jsonb,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (org_id, client_row_id, key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);
alter table idempotency_keys enable row level security, force row level security;
create policy org_isolation on idempotency_keys
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on idempotency_keys to docsvc_system using (true) with check (true);
grant select, delete on idempotency_keys to docsvc_system;
grant select, insert, update, delete on idempotency_keys to docsvc_app;

create table rate_buckets (
  org_id uuid not null references orgs (id),
  client_row_id uuid not null,
  kind text not null check (kind in ('requests', 'searches', 'extraction_starts', 'schema_generations')),
  tokens double precision not null,
  refilled_at timestamptz not null,
  primary key (org_id, client_row_id, kind)
);
alter table rate_buckets enable row level security, force row level security;
create policy org_isolation on rate_buckets
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on rate_buckets to docsvc_system using (true) with check (true);
grant select, insert, update on rate_buckets to docsvc_system;
grant select on rate_buckets to docsvc_app;

-- How many wrong secrets were shown in a while, for all processes together. The key is a digest of who showed them and
-- for which client, who may be of no organization.
create table secret_throttles (
  key bytea primary key check (octet_length(key) = 32),
  count int not null check (count > 0),
  ends_at timestamptz not null
);
create index secret_throttles_end on secret_throttles (ends_at);
alter table secret_throttles enable row level security, force row level security;
create policy cross_organization on secret_throttles to docsvc_system using (true) with check (true);
grant select, insert, update, delete on secret_throttles to docsvc_system;

-- Append-only: every write, and every read of what a document says.
create table audit_events (
  id uuid primary key,
  org_id uuid not null references orgs (id),
  occurred_at timestamptz not null default now(),
  actor_kind text not null check (actor_kind in ('client', 'system')),
  actor_id uuid,
  actor_name text not null,
  action text not null,
  subject_kind text not null,
  subject_id uuid,
  project_id uuid,
  request_id text,
  detail jsonb not null default '{}'
);
create index audit_events_newest on audit_events (org_id, occurred_at desc, id desc);
alter table audit_events enable row level security, force row level security;
create policy org_isolation on audit_events
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on audit_events to docsvc_system using (true) with check (true);
grant insert on audit_events to docsvc_system;
grant select, insert on audit_events to docsvc_app;

-- Of an organization: what counts against its quotas. `period` is the first day of a month, or the epoch for what is
-- not counted by month.
create table usage_counters (
  org_id uuid not null references orgs (id),
  kind text not null check (kind in ('storage_bytes', 'documents', 'pages')),
  period date not null,
  amount bigint not null default 0,
  primary key (org_id, kind, period)
);
alter table usage_counters enable row level security, force row level security;
create policy org_isolation on usage_counters
  using (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('docsvc.org_id', true), '')::uuid);
create policy cross_organization on usage_counters to docsvc_system using (true) with check (true);
grant select, insert, update on usage_counters to docsvc_system;
grant select, insert, update on usage_counters to docsvc_app;
