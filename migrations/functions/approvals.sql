-- Asking a person and settling the answer, each in one call.

-- Milliseconds, UTC, as JavaScript writes a date.
create or replace function svc_iso(p_at timestamptz)
returns text
language sql immutable parallel safe
as $$ select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- Whether every key of the call is granted for this run. No key, no grant.
create or replace function svc_granted(p_session uuid, p_keys text[])
returns boolean
language sql stable
as $$
  select coalesce(cardinality(p_keys), 0) > 0 and p_keys <@ array(
    select unnest(scope_keys) from approvals where session_id = p_session and status = 'approved_session')
$$;

-- p_payload: the whole input, sealed, kept only while the question is open. p_bodies: 1 tool.requested, 2 tool.decision
-- (source session_scope), 3 approval.requested with p_marker where the deadline goes.
create or replace function svc_ask(
  p_token text, p_tenant uuid, p_session uuid, p_spec_digest text, p_id uuid, p_call text, p_tool text,
  p_summary text, p_input_digest text, p_question svc_question, p_payload bytea, p_payload_key_version smallint,
  p_max_calls int, p_bodies text[], p_digests text[], p_marker text
)
returns svc_gate_answer
language plpgsql
as $$
declare
  answer svc_gate_answer;
  admission record;
  known approvals;
  head session_heads;
  granted boolean;
  bodies text[];
  digests text[];
begin
  perform set_config('service.tenant_id', p_tenant::text, true);
  perform 1 from session_heads where session_id = p_session for no key update;
  select a.refusal, a.head into admission
    from svc_admission(p_session, p_token, 'tool', p_spec_digest, clock_timestamp()) as a;
  if admission.refusal is not null then answer.outcome := admission.refusal; return answer; end if;
  head := admission.head;
  select * into known from approvals where session_id = p_session and tool_call_id = p_call;
  answer.approval_id := coalesce(known.id, p_id);
  answer.outcome := svc_replay(known, p_tool, p_input_digest);
  if answer.outcome is not null then
    answer.reason := coalesce(known.withheld_reason, known.reason);
    answer.expires_at := known.expires_at;
    return answer;
  end if;
  answer.tool_calls := head.tool_calls + case when known.id is null then 1 else 0 end;
  if answer.tool_calls > p_max_calls then answer.outcome := 'budget'; return answer; end if;
  granted := svc_granted(p_session, p_question.scope_keys);
  if not granted and (select count(*) from approvals where session_id = p_session and status = 'pending')
       >= p_question.max_pending then
    answer.outcome := 'too_many_pending';
    return answer;
  end if;
  if not granted then
    answer.expires_at := date_trunc('milliseconds', clock_timestamp() + make_interval(secs => p_question.ttl_secs));
  end if;
  if known.id is null then
    insert into approvals (id, tenant_id, session_id, tool_call_id, tool, summary, input_digest, status)
    values (p_id, p_tenant, p_session, p_call, p_tool, p_summary, p_input_digest, 'intent');
    bodies := p_bodies[1:1]; digests := p_digests[1:1];
  end if;
  update approvals set status = case when granted then 'auto_allowed' else 'pending' end,
    risk = p_question.risk, scope = p_question.scope, scope_key = p_question.scope_key,
    scope_keys = p_question.scope_keys, explanation = p_question.explanation, requested_at = clock_timestamp(),
    expires_at = answer.expires_at, original_verdict = 'require_approval',
    source = case when granted then 'session_scope' else p_question.source end,
    reason = case when granted then 'session-approved' else p_question.reason end,
    decided_at = case when granted then clock_timestamp() end,
    decided_by = case when granted then 'gate' end
    where id = answer.approval_id;
  if granted then
    bodies := bodies || p_bodies[2]; digests := digests || p_digests[2];
  else
    bodies := bodies || replace(p_bodies[3], p_marker, svc_iso(answer.expires_at));
    digests := digests || null::text;
    if p_payload is not null then
      insert into tool_call_payloads (tenant_id, session_id, tool_call_id, kind, sealed, key_version)
      values (p_tenant, p_session, p_call, 'input', p_payload, p_payload_key_version)
      on conflict (session_id, tool_call_id, kind) do nothing;
    end if;
    update sessions set status = 'awaiting_approval', status_reason = 'awaiting human approval',
      updated_at = clock_timestamp() where id = p_session and status = 'running';
    insert into driver_outbox (tenant_id, subject_id, kind) values (p_tenant, p_session, 'approval_requested')
      returning id into answer.outbox_id;
  end if;
  head := svc_chain(head, bodies, digests);
  update session_heads set seq = head.seq, head_hash = head.head_hash, ledger_bytes = head.ledger_bytes,
    tool_calls = answer.tool_calls where session_id = p_session;
  answer.seq := head.seq;
  answer.outcome := case when granted then 'session_allow' else 'asked' end;
  answer.reason := case when granted then 'session-approved' else p_question.reason end;
  return answer;
end
$$;

-- Settles one pending approval: true for the winner, who alone appends. A human who comes after the deadline (by this
-- database's clock) changes nothing; p_status 'expired' before the deadline needs p_early.
create or replace function svc_settle_approval(
  p_session uuid, p_id uuid, p_status text, p_decided_by text, p_early boolean, p_bodies text[], p_digests text[]
)
returns boolean
language plpgsql
as $$
declare
  head session_heads;
  settled approvals;
begin
  select * into head from session_heads where session_id = p_session for no key update;
  if not found then raise exception 'run % not found', p_session using errcode = 'SG404'; end if;
  update approvals set status = p_status, decided_at = clock_timestamp(), decided_by = p_decided_by,
    source = 'human', reason = 'human:' || p_decided_by
    where id = p_id and session_id = p_session and status = 'pending'
      and (p_early or case when p_status = 'expired' then expires_at <= clock_timestamp()
                           else expires_at > clock_timestamp() end)
    returning * into settled;
  if not found then return false; end if;
  delete from tool_call_payloads
    where session_id = p_session and tool_call_id = settled.tool_call_id and kind = 'input';
  head := svc_chain(head, p_bodies, p_digests);
  update session_heads set seq = head.seq, head_hash = head.head_hash, ledger_bytes = head.ledger_bytes
    where session_id = p_session;
  if not exists (select from approvals where session_id = p_session and status = 'pending') then
    update sessions set status = 'running', status_reason = null, updated_at = clock_timestamp()
      where id = p_session and status = 'awaiting_approval';
  end if;
  return true;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Runs with approvals whose deadline has passed.
create or replace function svc_list_overdue_approvals(p_limit int)
returns table (organization_id uuid, session_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select distinct a.tenant_id, a.session_id from approvals a
  where a.status = 'pending' and a.expires_at <= clock_timestamp() limit p_limit
$$;

-- Pending approvals whose notice is not final: a driver that lost its store starts them again.
create or replace function svc_list_unnoticed_approvals(p_older_than_ms int, p_limit int)
returns table (organization_id uuid, session_id uuid, approval_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select a.tenant_id, a.session_id, a.id from approvals a
  left join approval_notices n on n.approval_id = a.id
  where a.status = 'pending' and a.expires_at > clock_timestamp()
    and a.requested_at <= clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
    and (n.approval_id is null or n.state = 'retrying')
  order by a.requested_at limit p_limit
$$;

create or replace function svc_count_failed_notices(p_hours int)
returns bigint
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select count(*) from approval_notices
  where state = 'failed' and updated_at > clock_timestamp() - make_interval(hours => p_hours)
$$;

revoke all on function svc_list_overdue_approvals, svc_list_unnoticed_approvals, svc_count_failed_notices from public;
grant execute on function
  svc_list_overdue_approvals, svc_list_unnoticed_approvals, svc_count_failed_notices
  to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
