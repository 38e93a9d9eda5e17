-- Claims of brokered calls, and sessions at upstream servers.

-- The one authority on whether a brokered call may be sent. What an upstream answered rests in tool_call_payloads as
-- result.
create table tool_execution_claims (
  id uuid primary key,
  tenant_id uuid not null,
  session_id uuid not null,
  call_id uuid not null references approvals (id),
  tool_call_id text not null,
  tool text not null,
  input_digest text not null,
  state text not null default 'claimed'
    check (state in ('claimed', 'succeeded', 'failed_upstream', 'failed_before_send', 'ambiguous')),
  attempt int not null default 1 check (attempt >= 1),
  claimed_at timestamptz not null default clock_timestamp(),
  claim_expires_at timestamptz not null,
  completed_at timestamptz,
  result_digest text,
  is_error boolean,
  error_message text check (char_length(error_message) <= 400),
  unique (session_id, tool_call_id, input_digest),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id),
  check ((state = 'claimed') = (completed_at is null))
);
create index tool_execution_claims_open on tool_execution_claims (claim_expires_at) where state = 'claimed';
create index tool_execution_claims_of_run on tool_execution_claims (session_id) where state = 'claimed';
alter table tool_execution_claims enable row level security, force row level security;
create policy tenant_isolation on tool_execution_claims
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on tool_execution_claims to sandgate_system using (true) with check (true);
grant select, insert, update on tool_execution_claims to sandgate_app;
grant select on tool_execution_claims to sandgate_system;
create trigger guard_claim before update on tool_execution_claims for each row execute function svc_guard_claim();

-- Sessions that processes opened at MCP servers for a run, so that whoever ends the run can close them.
create table mcp_upstream_sessions (
  tenant_id uuid not null,
  session_id uuid not null,
  peer_kind text not null check (peer_kind = 'binding'),
  peer_id uuid not null,
  replica uuid not null,
  upstream_session_id text not null,
  endpoint_url text not null,
  protocol_version text not null,
  opened_at timestamptz not null default clock_timestamp(),
  deleted_at timestamptz,
  delete_outcome text check (delete_outcome in ('deleted', 'swept')),
  primary key (session_id, peer_kind, peer_id, replica),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id),
  check ((deleted_at is null) = (delete_outcome is null))
);
create index mcp_upstream_sessions_live on mcp_upstream_sessions (opened_at) where deleted_at is null;
alter table mcp_upstream_sessions enable row level security, force row level security;
create policy tenant_isolation on mcp_upstream_sessions
  using (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('service.tenant_id', true), '')::uuid);
create policy cross_organization on mcp_upstream_sessions to sandgate_system using (true) with check (true);
grant select, insert, update on mcp_upstream_sessions to sandgate_app;
grant select, update on mcp_upstream_sessions to sandgate_system;

create type svc_offered_call as (
  call_id uuid,
  state text,
  attempt int,
  claim_id uuid
);

create type svc_claim_answer as (
  outcome text,
  claim_id uuid,
  attempt int
);

create type svc_taken_call as (
  tool_call_id text,
  tool text,
  input_digest text,
  sealed bytea,
  key_version smallint,
  binding_id uuid,
  current jsonb,
  outcome text,
  claim_id uuid
);
