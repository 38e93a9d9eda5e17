-- Runs (sessions on the wire), the narrow head row that every change of a run locks, finalization requests, and the
-- tokens and idempotency keys of callers.

-- The status has no check: a newer deployment may write one that this build does not know. A terminal status is
-- final, whoever writes. not_before: a run whose host was full waits that long; refused_by: the host that said so,
-- taken last next time; launch_faults: launches that broke for another reason, over all workers. traceparent: ids and
-- a flag of the trace in which the run was created, nothing of the caller's. home_host: the only host that has the
-- files of the run; null for a run that may start anywhere.
create table sessions (
  id uuid primary key,
  tenant_id uuid not null references tenants (id),
  agent_id uuid not null,
  agent_revision_id uuid not null,
  status text not null default 'created',
  status_reason text,
  autonomy text not null check (autonomy in ('supervised', 'autonomous')),
  trust_tier text not null default 'trusted' check (trust_tier in ('trusted', 'read_only')),
  task text not null,
  labels jsonb not null default '{}',
  repo_source jsonb not null,
  run_spec jsonb not null,
  run_spec_digest text not null,
  trigger jsonb,
  sandbox_handle jsonb,
  budgets jsonb not null default '{}',
  base_commit text,
  result_summary text,
  host_id uuid,
  launch_attempts int not null default 0,
  capacity_held boolean not null default false,
  queued_at timestamptz,
  admitted_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  invoked_by_kind text not null default 'operator',
  invoked_by_user_id uuid,
  subscription_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  not_before timestamptz,
  refused_by uuid,
  launch_faults int not null default 0,
  harness text generated always as (run_spec ->> 'harness') stored,
  home_host uuid generated always as ((run_spec -> 'workspace' ->> 'host')::uuid) stored,
  traceparent text
    constraint sessions_traceparent check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'),
  unique (tenant_id, id),
  foreign key (tenant_id, agent_id) references agents (tenant_id, id),
  foreign key (tenant_id, agent_revision_id) references agent_revisions (tenant_id, id)
);
-- not_before: a run whose host was full waits that long. refused_by: the host that said so, taken last next time.
-- launch_faults: launches that broke for another reason, over all workers.
create index sessions_newest on sessions (tenant_id, created_at desc, id desc);
-- A person's own runs, newest first: all that a plain member sees.
create index sessions_of_invoker on sessions (tenant_id, invoked_by_user_id, created_at desc, id desc)
  where invoked_by_user_id is not null;
create index sessions_labels on sessions using gin (labels jsonb_path_ops);
create index sessions_unfinished on sessions (id)
  where status not in ('completed', 'failed', 'cancelled', 'budget_exceeded');
create index sessions_holding on sessions (tenant_id) where capacity_held;
create index sessions_of_host on sessions (host_id) where capacity_held;
-- Runs of the revisions that name one policy, newest first: what a draft of that policy is tried against. By a plain
-- column, because an index over a member of the specification is not used under row-level isolation (its operator may
-- leak).
create index sessions_of_revision on sessions (tenant_id, agent_revision_id, id desc);
create index sessions_in_line on sessions (tenant_id, created_at, id)
  where status in ('created', 'queued') and not capacity_held;
alter table sessions enable row level security, force row level security;
create policy tenant_isolation on sessions
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on sessions to sandgate_system using (true) with check (true);
grant select, insert, update on sessions to sandgate_app;
grant select, update on sessions to sandgate_system;
create trigger guard_session before update on sessions for each row execute function svc_guard_session();

-- ending: a finalization request is recorded; every admission reads this row anyway, so the check is free.
-- warn_*: the mark at which a budget warning is due; null is no cap, or warned already.
create table session_heads (
  session_id uuid primary key,
  tenant_id uuid not null,
  seq bigint not null default 0,
  head_hash bytea not null default decode(repeat('00', 32), 'hex'),
  last_heartbeat_at timestamptz,
  tool_calls int not null default 0,
  ledger_bytes bigint not null default 0,
  runner_events int not null default 0,
  spent_tokens bigint not null default 0,
  spent_cost_micros bigint not null default 0,
  ending boolean not null default false,
  warn_tool_calls int,
  warn_tokens bigint,
  warn_cost_micros bigint,
  wall_clock_warned boolean not null default false,
  foreign key (tenant_id, session_id) references sessions (tenant_id, id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
alter table session_heads enable row level security, force row level security;
create policy tenant_isolation on session_heads
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on session_heads to sandgate_system using (true) with check (true);
grant select, insert, update on session_heads to sandgate_app;
grant select, update on session_heads to sandgate_system;
create trigger mark_warnings before insert on session_heads for each row execute function svc_mark_warnings();
create trigger warn_of_budgets after update of tool_calls, spent_tokens, spent_cost_micros on session_heads
  for each row when (new.tool_calls >= new.warn_tool_calls or new.spent_tokens >= new.warn_tokens
                     or new.spent_cost_micros >= new.warn_cost_micros)
  execute function svc_warn_of_budgets();

-- Finalization requests; deleted when the run is over and cleaned up.
create table session_finalizations (
  session_id uuid primary key,
  tenant_id uuid not null,
  outcome text not null check (outcome in ('completed', 'failed', 'cancelled', 'budget_exceeded')),
  posted_outcome text not null,
  summary text,
  reason text,
  needs_quiesce boolean not null,
  quiesce_deadline timestamptz,
  claimed_at timestamptz,
  attempts int not null default 0,
  created_at timestamptz not null default now(),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id)
);
alter table session_finalizations enable row level security, force row level security;
create policy tenant_isolation on session_finalizations
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on session_finalizations to sandgate_system using (true) with check (true);
grant select, insert, update, delete on session_finalizations to sandgate_app;
grant select on session_finalizations to sandgate_system;
create trigger note_ending after insert on session_finalizations
  for each row execute function svc_note_ending();

-- Bearer tokens by digest, of runs, of subscriptions and of people; the plain text is never stored.
create table api_tokens (
  id uuid primary key,
  tenant_id uuid not null,
  kind text not null default 'session' check (kind in ('session', 'trigger', 'pat')),
  session_id uuid,
  subscription_id uuid,
  audience text check (audience in ('tool', 'control', 'workspace', 'llm')),
  membership_id uuid,
  user_id uuid,
  name text,
  display_prefix text,
  token_sha256 text not null unique check (token_sha256 ~ '^[0-9a-f]{64}$'),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  check (case kind
    when 'session' then num_nonnulls(session_id, audience) = 2
      and num_nonnulls(subscription_id, membership_id, user_id, name, display_prefix) = 0
    when 'trigger' then subscription_id is not null
      and num_nonnulls(session_id, audience, membership_id, user_id, name, display_prefix) = 0
    else num_nonnulls(membership_id, user_id, name, display_prefix, expires_at) = 5
      and num_nonnulls(session_id, audience, subscription_id) = 0 end),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, membership_id) references org_memberships (tenant_id, id)
);
create index api_tokens_session on api_tokens (session_id);
create index api_tokens_user on api_tokens (user_id) where user_id is not null;
create index api_tokens_personal on api_tokens (tenant_id, id) where kind = 'pat';
create index api_tokens_subscription on api_tokens (subscription_id) where subscription_id is not null;
alter table api_tokens enable row level security, force row level security;
create policy tenant_isolation on api_tokens
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on api_tokens to sandgate_system using (true) with check (true);
grant select, insert, update on api_tokens to sandgate_app;
grant select, update (last_used_at) on api_tokens to sandgate_system;

-- Claims of Idempotency-Key headers. result keeps a small answer (an event's seq), never a body of a client.
create table idempotency_keys (
  tenant_id uuid not null,
  scope text not null,
  key text not null check (length(key) <= 255),
  body_digest text not null,
  session_id uuid,
  result jsonb,
  created_at timestamptz not null default now(),
  primary key (tenant_id, scope, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
alter table idempotency_keys enable row level security, force row level security;
create policy tenant_isolation on idempotency_keys
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on idempotency_keys to sandgate_system using (true) with check (true);
grant select, insert, update, delete on idempotency_keys to sandgate_app;
grant select, delete on idempotency_keys to sandgate_system;
