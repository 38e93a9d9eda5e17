-- What is read of a run and its ledger for workflows, traces, streams and exports.

-- Whether a run accepts work at this moment; null when the organization has none of that id.
create or replace function svc_run_accepts_work(p_session uuid)
returns boolean
language sql stable
as $$
  select svc_accepts_work(s.status) and not h.ending
    from sessions s join session_heads h on h.session_id = s.id where s.id = p_session
$$;

-- Whether an answer of a person to a question of the run still leads to something; null when the organization has none
-- of that id.
create or replace function svc_run_awaits_answers(p_session uuid)
returns boolean
language sql stable
as $$
  select (svc_accepts_work(s.status) or s.status = 'awaiting_authorization') and not h.ending
    from sessions s join session_heads h on h.session_id = s.id where s.id = p_session
$$;

-- All that the workflow of a run decides by; times as milliseconds from now. A launch has the time of the run's setup
-- besides its own, and the time that people take to decide on setup commands.
create or replace function svc_read_run_view(p_session uuid, p_launch_limit_secs float8, p_queue_ttl_secs float8)
returns table (
  status text, organization_slug text, agent_name text, host_id uuid, sandbox_attached boolean, pending_approvals int,
  ms_until_approval_expiry float8, ms_until_wall_clock float8, ms_until_wall_clock_warning float8,
  ms_until_queue_expiry float8, ms_until_launch_deadline float8, sets_up boolean, ms_until_claim_expiry float8,
  brokered boolean,
  requested_outcome text, ms_until_quiesce_deadline float8
)
language sql stable
as $$
  select s.status, o.slug, s.run_spec ->> 'agent_name',
         case when s.status in ('created', 'queued') then null else s.host_id end,
         s.sandbox_handle is not null,
         coalesce(p.pending, 0)::int,
         (extract(epoch from p.next_expiry - now()) * 1000)::float8,
         (extract(epoch from s.started_at - now()) * 1000 + cap.secs * 1000)::float8,
         case when not h.wall_clock_warned then
           (extract(epoch from s.started_at - now()) * 1000 + svc_warn_at((cap.secs * 1000)::numeric))::float8 end,
         case when s.status = 'queued' and not s.capacity_held then
           (extract(epoch from s.queued_at - now()) * 1000 + p_queue_ttl_secs * 1000)::float8 end,
         case when s.status <> 'awaiting_authorization' then
           (extract(epoch from coalesce(s.admitted_at, s.created_at) - now()) * 1000
             + p_launch_limit_secs * 1000 + coalesce(setup.ms, 0))::float8 end,
         s.run_spec ? 'setup',
         (extract(epoch from c.next_expiry - now()) * 1000)::float8,
         coalesce(s.run_spec -> 'brokered', '[]') <> '[]',
         f.outcome,
         case when f.needs_quiesce then (extract(epoch from f.quiesce_deadline - now()) * 1000)::float8 end
    from sessions s
    join tenants o on o.id = s.tenant_id
    join session_heads h on h.session_id = s.id
    cross join lateral (select (s.run_spec -> 'budgets' ->> 'max_wall_clock_secs')::float8 as secs) cap
    left join lateral (
      select (s.run_spec #>> '{setup,timeout_secs}')::float8 * 1000
             + coalesce(sum(extract(epoch from coalesce(a.decided_at, now()) - a.requested_at)) * 1000, 0) as ms
        from approvals a
        where a.session_id = s.id and a.requested_at >= coalesce(s.admitted_at, s.created_at)) setup
      on s.run_spec ? 'setup' and s.status in ('provisioning', 'initializing')
    left join session_finalizations f on f.session_id = s.id
    left join lateral (
      select count(*) as pending, min(expires_at) as next_expiry
        from approvals where session_id = s.id and status = 'pending') p on true
    left join lateral (
      select min(claim_expires_at) as next_expiry
        from tool_execution_claims where session_id = s.id and state = 'claimed') c on true
    where s.id = p_session
$$;

-- What the span of a run says. Cached tokens count as input.
create or replace function svc_read_traced_run(p_session uuid)
returns table (
  traceparent text, status text, agent_id uuid, agent_name text, harness text, model text, created_at timestamptz,
  started_at timestamptz, finished_at timestamptz, tool_calls int, input_tokens float8, output_tokens float8,
  cost_usd float8
)
language sql stable
as $$
  select s.traceparent, s.status, s.agent_id, s.run_spec ->> 'agent_name', s.run_spec ->> 'harness',
         s.run_spec ->> 'model', s.created_at, s.started_at, s.finished_at, h.tool_calls,
         u.input_tokens, u.output_tokens, u.cost_usd
    from sessions s
    join session_heads h on h.session_id = s.id,
         lateral (
           select coalesce(sum(input_tokens + cache_read_tokens + cache_write_tokens), 0)::float8 as input_tokens,
                  coalesce(sum(output_tokens), 0)::float8 as output_tokens,
                  (coalesce(sum(cost_micros), 0) / 1000000)::float8 as cost_usd
             from usage_entries where session_id = s.id) u
    where s.id = p_session
$$;

-- How many queued runs of the organization are older than this one.
create or replace function svc_count_queued_before(p_session uuid)
returns bigint
language sql stable
as $$
  select count(*) from sessions s, sessions mine
    where mine.id = p_session and s.status = 'queued' and (s.created_at, s.id) < (mine.created_at, mine.id)
$$;

-- Events of a ledger after a place, in order.
create or replace function svc_read_events_after(p_session uuid, p_after bigint, p_limit int)
returns table (event_id uuid, seq bigint, actor text, type text, payload jsonb, occurred_at timestamptz)
language sql stable
as $$
  select e.event_id, e.seq, e.actor, e.type, e.payload, e.occurred_at from events e
    where e.session_id = p_session and e.seq > p_after order by e.seq limit p_limit
$$;

-- The last seq of a ledger; null when the organization has no such run, or none that p_user started. p_user null: of
-- anybody.
create or replace function svc_read_head_seq(p_session uuid, p_user uuid)
returns bigint
language sql stable
as $$
  select h.seq from session_heads h
    where h.session_id = p_session and (p_user is null or exists (
      select from sessions s where s.id = h.session_id and s.invoked_by_user_id = p_user))
$$;

create or replace function svc_read_event_reason(p_session uuid, p_seq bigint)
returns text
language sql stable
as $$
  select payload #>> '{data,reason}' from events where session_id = p_session and seq = p_seq
$$;

-- The head of a ledger, to be signed.
create or replace function svc_read_ledger_head(p_session uuid)
returns table (seq bigint, hash text, at timestamptz)
language sql stable
as $$
  select h.seq, encode(h.head_hash, 'hex'), clock_timestamp() from session_heads h where h.session_id = p_session
$$;

-- Events as an export has them: times in microseconds, digests as text.
create or replace function svc_export_events(p_session uuid, p_after bigint, p_up_to bigint, p_limit int)
returns table (
  seq bigint, event_id uuid, micros bigint, actor text, type text, schema_version int, data jsonb, body_digest text,
  hash text
)
language sql stable
as $$
  select e.seq, e.event_id, (extract(epoch from e.occurred_at) * 1000000)::bigint, e.actor, e.type, e.schema_version,
         e.payload -> 'data', encode(e.body_digest, 'hex'), encode(e.hash, 'hex')
    from events e where e.session_id = p_session and e.seq > p_after and e.seq <= p_up_to
    order by e.seq limit p_limit
$$;

-- Whether the stored diff of a run begins with a marker; nothing without a diff.
create or replace function svc_read_diff_marker(p_session uuid, p_name text, p_marker bytea)
returns table (marked boolean)
language sql stable
as $$
  select position(p_marker in substring(content from 1 for 64)) = 1
    from artifacts where session_id = p_session and kind = 'diff' and name = p_name
$$;

create or replace function svc_has_pending_approval(p_session uuid)
returns boolean
language sql stable
as $$
  select exists (select 1 from approvals where session_id = p_session and status = 'pending')
$$;
