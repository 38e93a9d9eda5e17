-- The verdict on calls. The caller has evaluated the policy already; the function checks token, status and frozen
-- specification, finds replays, counts the budget, registers each call with its verdict and appends its events. All
-- under the runs' head rows, which every move of a run locks first, so the status that it reads holds. As few
-- statements as the order allows: each costs its start, however many calls it is for.

-- What the registry already says about a call: null when it is new or still undecided.
create or replace function svc_replay(p_row approvals, p_tool text, p_input_digest text)
returns text
language sql immutable
as $$
  select case
    when p_row.id is null then null
    when p_row.tool <> p_tool or p_row.input_digest <> p_input_digest then 'protocol_violation'
    when p_row.withheld_reason is not null then 'replay_deny'
    when p_row.status in ('auto_allowed', 'approved_once', 'approved_session') then 'replay_allow'
    when p_row.status in ('auto_denied', 'denied', 'expired') then 'replay_deny'
    when p_row.status = 'pending' then 'pending'
  end
$$;

-- The verdict of a call that was registered before it was judged, as after a crash.
create or replace function svc_judge_registered(p_id uuid, p_call svc_gate_call)
returns void
language sql
as $$
  update approvals set status = case when p_call.allow then 'auto_allowed' else 'auto_denied' end,
    source = p_call.source, original_verdict = p_call.original, reason = p_call.reason,
    decided_at = clock_timestamp(), decided_by = 'gate' where id = p_id
$$;

-- Answers the calls by their places; a single call is a group of one. The caller has locked the runs. A call waits for
-- one before it that brings a warning about, which tells the count at that moment, or that has its id: it is handed
-- back, with those of its run behind it, for the next round. Statements are planned once, for any number of calls.
create or replace function svc_gate(p_tenant uuid, inout calls svc_gate_call[], inout answers jsonb[])
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  at timestamptz := clock_timestamp();
  one record;
  call svc_gate_call;
  answer svc_gate_answer;
  known approvals;
  run uuid;
  head session_heads;
  names text[];
  waits boolean;
  step record;
  n int := 0;
  heads session_heads[] := '{}';
  registered svc_gate_call[] := '{}';
  linked svc_linked_event[] := '{}';
  waiting svc_gate_call[] := '{}';
begin
  for one in
    select c as call, a.refusal, a.head, k.id as known_id
      from unnest(calls) as c
      cross join lateral svc_admission(c.session, c.token, 'tool', c.spec_digest, at) as a
      left join lateral (
        select id from approvals where session_id = c.session and tool_call_id = c.call limit 1) k on true
      order by c.session, c.place
  loop
    call := one.call;
    if call.session is distinct from run then
      n := n + 1;
      run := call.session; head := one.head; names := '{}'; waits := false;
    end if;
    waits := waits or call.call = any(names);
    if waits then waiting := waiting || call; continue; end if;
    answer := null;
    answer.outcome := one.refusal;
    if one.refusal is null and one.known_id is not null then
      select * into known from approvals where id = one.known_id;
      answer.outcome := svc_replay(known, call.tool, call.input_digest);
      if answer.outcome is not null then
        answer.approval_id := one.known_id;
        answer.reason := coalesce(known.withheld_reason, known.reason);
        answer.expires_at := known.expires_at;
      end if;
    end if;
    if answer.outcome is null then
      answer.approval_id := coalesce(one.known_id, call.id);
      answer.tool_calls := head.tool_calls + (one.known_id is null)::int;
      answer.outcome := case
        when answer.tool_calls > call.max_calls then 'budget' when call.allow then 'allow' else 'deny' end;
    end if;
    if answer.outcome in ('allow', 'deny') then
      -- What was registered before it was judged has its tool.requested already.
      if one.known_id is null then
        registered := registered || call;
      else
        perform svc_judge_registered(one.known_id, call);
        call.bodies := call.bodies[2:]; call.digests := call.digests[2:];
      end if;
      names := names || call.call;
      step := svc_link_events(head, call.bodies, call.digests, at);
      head := step.head;
      head.tool_calls := answer.tool_calls;
      heads[n] := head;
      linked := linked || step.linked;
      answer.seq := head.seq;
      waits := coalesce(head.tool_calls >= head.warn_tool_calls, false);
    end if;
    answers[call.place] := to_jsonb(answer);
  end loop;
  calls := waiting;
  if cardinality(linked) = 0 then return; end if;
  with register as (
    insert into approvals (id, tenant_id, session_id, tool_call_id, tool, summary, input_digest, status, source,
                           original_verdict, reason, decided_at, decided_by)
      select c.id, p_tenant, c.session, c.call, c.tool, c.summary, c.input_digest,
             case when c.allow then 'auto_allowed' else 'auto_denied' end, c.source, c.original, c.reason, at, 'gate'
        from unnest(registered) as c
  ), appended as (
    insert into events (tenant_id, session_id, seq, event_id, actor, type, schema_version, payload, body_digest, hash,
                        occurred_at)
      select p_tenant, e.session_id, e.seq, svc_event_id(e.hash), d.doc ->> 'actor', d.doc ->> 'type',
             (d.doc ->> 'version')::int, d.doc - '{actor,version}'::text[], e.digest, e.hash, e.occurred_at
        from unnest(linked) as e cross join lateral (select e.body::jsonb as doc offset 0) as d
  )
  update session_heads h set seq = u.seq, head_hash = u.head_hash, tool_calls = u.tool_calls,
         ledger_bytes = u.ledger_bytes
    from unnest(heads) as u where h.session_id = u.session_id;
end
$$;

-- Tools of a run that were denied for one of these reasons by their schema.
create or replace function svc_list_ended_validators(p_session uuid, p_reasons text[])
returns table (tool text, reason text)
language sql stable
as $$
  select distinct a.tool, a.reason from approvals a
    where a.session_id = p_session and a.status = 'auto_denied' and a.source = 'schema' and a.reason = any (p_reasons)
$$;

-- What is kept of one kind of many calls, as it rests.
create or replace function svc_read_payloads(p_kind text, p_sessions uuid[], p_calls text[])
returns table (session_id uuid, tool_call_id text, sealed bytea, key_version smallint)
language sql stable
as $$
  select p.session_id, p.tool_call_id, p.sealed, p.key_version
    from unnest(p_sessions, p_calls) as asked (session_id, tool_call_id)
    join tool_call_payloads p on p.session_id = asked.session_id and p.tool_call_id = asked.tool_call_id
    where p.kind = p_kind and (p.expires_at is null or p.expires_at > clock_timestamp())
$$;

-- Keeps what policy read of many calls of one organization. The commit does not wait for the disk: a view that a
-- crash takes is reported as unknown, and the gate must not queue behind it.
create or replace function svc_keep_policy_views(
  p_tenant uuid, p_sessions uuid[], p_calls text[], p_sealed bytea[], p_key_versions smallint[], p_keep_secs numeric
)
returns int
language plpgsql
as $$
declare
  kept int;
begin
  perform set_config('service.tenant_id', p_tenant::text, true), set_config('synchronous_commit', 'off', true);
  insert into tool_call_payloads (tenant_id, session_id, tool_call_id, kind, sealed, key_version, expires_at)
    select p_tenant, v.session_id, v.tool_call_id, 'policy_view', v.sealed, v.key_version,
           clock_timestamp() + make_interval(secs => p_keep_secs)
    from unnest(p_sessions, p_calls, p_sealed, p_key_versions) as v (session_id, tool_call_id, sealed, key_version)
    on conflict (session_id, tool_call_id, kind) do nothing;
  get diagnostics kept = row_count;
  return kept;
end
$$;
