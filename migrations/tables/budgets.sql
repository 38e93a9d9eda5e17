-- What providers reported, what is held against budgets meanwhile, and the tool uses that the model gateway saw: ids
-- and names only, never content.

create table usage_entries (
  id uuid primary key,
  tenant_id uuid not null,
  session_id uuid not null,
  external_id uuid not null unique,
  model text not null,
  input_tokens bigint not null check (input_tokens >= 0),
  output_tokens bigint not null check (output_tokens >= 0),
  cache_read_tokens bigint not null default 0 check (cache_read_tokens >= 0),
  cache_write_tokens bigint not null default 0 check (cache_write_tokens >= 0),
  cost_micros bigint check (cost_micros >= 0),
  source text not null,
  created_at timestamptz not null default now()
);
create index usage_entries_session on usage_entries (session_id);
alter table usage_entries enable row level security, force row level security;
create policy tenant_isolation on usage_entries
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert on usage_entries to sandgate_app;

-- A reservation counts from admission until it is settled, and for good when its usage never arrived (unreported).
create table llm_reservations (
  id uuid primary key,
  tenant_id uuid not null,
  session_id uuid not null,
  state text not null check (state in ('reserved', 'charged', 'released', 'unreported')),
  input_tokens bigint not null check (input_tokens >= 0),
  output_tokens bigint not null check (output_tokens >= 0),
  cost_micros bigint check (cost_micros >= 0),
  process_id uuid not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  settled_at timestamptz
);
create index llm_reservations_live on llm_reservations (session_id) where state = 'reserved';
create index llm_reservations_unreported on llm_reservations (session_id) where state = 'unreported';
create index llm_reservations_process on llm_reservations (process_id) where state = 'reserved';
alter table llm_reservations enable row level security, force row level security;
create policy tenant_isolation on llm_reservations
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on llm_reservations to sandgate_system using (true) with check (true);
grant select, insert, update on llm_reservations to sandgate_app;
grant select on llm_reservations to sandgate_system;

create table llm_tool_uses (
  tenant_id uuid not null,
  session_id uuid not null,
  tool_use_id text not null,
  tool text not null,
  rejected boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (session_id, tool_use_id)
);
alter table llm_tool_uses enable row level security, force row level security;
create policy tenant_isolation on llm_tool_uses
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
grant select, insert, update on llm_tool_uses to sandgate_app;

create type svc_model_request as (
  id uuid,
  input_tokens bigint,
  wanted_output_tokens bigint,
  input_cost_micros bigint,
  output_micros_per_million bigint,
  max_tokens bigint,
  max_cost_micros bigint,
  max_live int,
  process_id uuid,
  ttl_secs numeric,
  result_ids text[],
  refused_result_ids text[],
  max_refused int
);

create type svc_reserve_answer as (
  outcome text,
  output_tokens bigint,
  spent_tokens bigint,
  spent_cost_micros bigint,
  reserved_tokens bigint,
  reserved_cost_micros bigint,
  unasked text[],
  refused text[]
);

create type svc_settlement as (
  state text,
  model text,
  input_tokens bigint,
  output_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  cost_micros bigint,
  source text,
  usage_id uuid,
  max_tokens bigint,
  max_cost_micros bigint
);

create type svc_settle_answer as (
  outcome text,
  seq bigint,
  spent_tokens bigint,
  spent_cost_micros bigint,
  exhausted text
);

create type svc_reserve_call as (
  place int,
  session uuid,
  token text,
  spec_digest text,
  request svc_model_request
);

create type svc_settle_call as (
  place int,
  session uuid,
  id uuid,
  settlement svc_settlement,
  tool_use_ids text[],
  tool_use_names text[],
  bodies text[],
  digests text[]
);
