-- Every gated call and what became of it, the sealed inputs and answers of calls, and the notices of pending
-- approvals.

-- Rules of columns that every call writes are domains: PostgreSQL plans the checks of a table anew in each statement,
-- and keeps those of a domain ready. A domain that changes gets a new name.
-- squawk-ignore-file ban-create-domain-with-constraint
create domain svc_approval_status as text check (
  value in (
    'intent', 'auto_allowed', 'auto_denied', 'pending',
    'approved_once', 'approved_session', 'denied', 'expired'
  )
);
create domain svc_approval_scope as text check (value in ('once', 'session'));

-- One row per gated call of a run, automatic verdicts included. There is no foreign key to sessions: the gate holds
-- the run's head row when it inserts, and the look-up would cost the hot path a lock per call. released_at: when an
-- approved call was let go.
create table approvals (
  id uuid primary key,
  tenant_id uuid not null,
  session_id uuid not null,
  tool_call_id text not null,
  tool text not null,
  summary text not null,
  input_digest text not null,
  risk text,
  scope svc_approval_scope,
  scope_key text,
  scope_keys text[],
  status svc_approval_status not null,
  source text,
  original_verdict text,
  reason text,
  explanation jsonb,
  withheld_reason text,
  session_terminal_recorded boolean not null default false,
  requested_at timestamptz not null default now(),
  expires_at timestamptz,
  decided_at timestamptz,
  decided_by text,
  created_at timestamptz not null default now(),
  released_at timestamptz,
  unique (session_id, tool_call_id)
);
create index approvals_inbox on approvals (tenant_id, requested_at, id) where status = 'pending';
create index approvals_pending on approvals (session_id) where status = 'pending';
create index approvals_granted on approvals (session_id) where status = 'approved_session';
create index approvals_deadline on approvals (expires_at) where status = 'pending';
-- Whoever decides is shown other calls of the run that a grant would cover; most calls of a run were never a
-- question.
create index approvals_asked on approvals (session_id) where scope_keys is not null;
alter table approvals enable row level security, force row level security;
create policy tenant_isolation on approvals
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on approvals to sandgate_system using (true) with check (true);
grant select, insert, update on approvals to sandgate_app;
grant select on approvals to sandgate_system;

-- What became of the notice of each approval, written by the workflow that sends it. overtaken: decided before the
-- receiver took it; failed: all attempts used.
create table approval_notices (
  approval_id uuid primary key,
  tenant_id uuid not null,
  session_id uuid not null,
  state text not null check (state in ('retrying', 'delivered', 'overtaken', 'failed')),
  attempts int not null,
  last_error text,
  updated_at timestamptz not null default clock_timestamp()
);
create index approval_notices_failed on approval_notices (updated_at) where state = 'failed';
alter table approval_notices enable row level security, force row level security;
create policy tenant_isolation on approval_notices
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on approval_notices to sandgate_system using (true) with check (true);
grant select, insert, update on approval_notices to sandgate_app;
grant select on approval_notices to sandgate_system;

-- The one place where inputs and results of tool calls rest. key_version 0 is clear text.
create table tool_call_payloads (
  tenant_id uuid not null,
  session_id uuid not null,
  tool_call_id text not null,
  kind text not null check (kind in ('input', 'result', 'policy_view')),
  sealed bytea not null,
  key_version smallint not null check (key_version between 0 and 2),
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (session_id, tool_call_id, kind)
);
create index tool_call_payloads_expiry on tool_call_payloads (expires_at) where expires_at is not null;
-- The boot asks whether anything is sealed under version 1, which is rare.
create index tool_call_payloads_legacy on tool_call_payloads (key_version) where key_version = 1;
alter table tool_call_payloads enable row level security, force row level security;
create policy tenant_isolation on tool_call_payloads
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on tool_call_payloads to sandgate_system using (true) with check (true);
grant select, insert, update, delete on tool_call_payloads to sandgate_app;
grant select, delete on tool_call_payloads to sandgate_system;

create type svc_gate_answer as (
  outcome text,
  approval_id uuid,
  seq bigint,
  tool_calls int,
  reason text,
  expires_at timestamptz,
  outbox_id bigint
);

-- What a person is asked, and how long.
create type svc_question as (
  risk text,
  scope text,
  scope_key text,
  scope_keys text[],
  source text,
  reason text,
  explanation jsonb,
  ttl_secs numeric,
  max_pending int
);

-- A call with an automatic verdict, as one of a group.
create type svc_gate_call as (
  place int,
  session uuid,
  token text,
  spec_digest text,
  id uuid,
  call text,
  tool text,
  summary text,
  input_digest text,
  allow boolean,
  source text,
  original text,
  reason text,
  max_calls int,
  bodies text[],
  digests text[]
);
