-- The hash-chained, append-only timeline of each run, its signed heads, and the artifacts of runs.

-- Rules of columns that every call writes are domains: PostgreSQL plans the checks of a table anew in each statement,
-- and keeps those of a domain ready. A domain that changes gets a new name.
-- squawk-ignore-file ban-create-domain-with-constraint
create domain svc_event_actor as text check (value in ('agent', 'system', 'human', 'harness'));
create domain svc_sha256 as bytea check (octet_length(value) = 32);
create domain svc_event_seq as bigint check (value > 0);

create table events (
  tenant_id uuid not null,
  session_id uuid not null,
  seq svc_event_seq not null,
  event_id uuid not null,
  actor svc_event_actor not null,
  type text not null,
  schema_version int not null default 1,
  payload jsonb not null,
  body_digest svc_sha256 not null,
  hash svc_sha256 not null,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (session_id, seq)
);
alter table events enable row level security, force row level security;
create policy tenant_isolation on events
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert on events to sandgate_app;
create trigger refuse_change before update or delete or truncate on events
  for each statement execute function svc_refuse_change();

create table ledger_heads (
  tenant_id uuid not null,
  session_id uuid not null,
  seq bigint not null,
  hash bytea not null check (octet_length(hash) = 32),
  signature bytea not null check (octet_length(signature) = 64),
  key_id text not null,
  signed_at timestamptz not null,
  primary key (session_id, seq)
);
alter table ledger_heads enable row level security, force row level security;
create policy tenant_isolation on ledger_heads
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert on ledger_heads to sandgate_app;
create trigger refuse_change before update or delete or truncate on ledger_heads
  for each statement execute function svc_refuse_change();

create table artifacts (
  id uuid primary key,
  tenant_id uuid not null,
  session_id uuid not null,
  kind text not null check (kind in ('diff', 'summary', 'log')),
  name text not null,
  content bytea not null,
  content_type text not null,
  size_bytes bigint not null,
  digest text not null,
  truncated boolean not null default false,
  created_at timestamptz not null default now(),
  unique (session_id, kind, name),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id)
);
alter table artifacts enable row level security, force row level security;
create policy tenant_isolation on artifacts
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert, update, delete on artifacts to sandgate_app;

-- An event that has its place in the chain of its run and is not written yet.
create type svc_linked_event as (
  session_id uuid,
  seq bigint,
  occurred_at timestamptz,
  body text,
  digest bytea,
  hash bytea
);
