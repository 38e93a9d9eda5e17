-- The verdict on a call. The caller has evaluated the policy already; the functions check token, status and frozen
-- specification, find replays, count the budget, register the call with its verdict and append the events. All under
-- the run's head row, which every move of the run locks first, so the status that they read holds. As few statements
-- as the order allows: each costs its start in every call.

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

-- Three statements for a new call: lock the head; read what the verdict depends on, behind the lock, so that it
-- holds; write registry, events and head. p_bodies: tool.requested, then tool.decision, both with their digests.
create or replace function svc_gate(
  p_token text, p_tenant uuid, p_session uuid, p_spec_digest text, p_id uuid, p_call text, p_tool text,
  p_summary text, p_input_digest text, p_allow boolean, p_source text, p_original text, p_reason text,
  p_max_calls int, p_bodies text[], p_digests text[]
)
returns svc_gate_answer
language plpgsql
as $$
declare
  answer svc_gate_answer;
  head record;
  known approvals;
  known_id uuid;
  verdict text;
  first_doc jsonb;
  second_doc jsonb;
  at timestamptz;
  first_hash bytea;
  second_hash bytea;
begin
  verdict := set_config('svc.tenant', p_tenant::text, true);
  select seq, head_hash, tool_calls, ending into head from session_heads where session_id = p_session for no key update;
  select case
      when t.audience <> 'tool' then 'wrong_audience'
      when t.session_id <> p_session or t.revoked_at is not null or t.expires_at <= clock_timestamp()
        then 'unauthorized'
      when s.id is null or head.seq is null then 'not_found'
      when head.ending or not svc_accepts_work(s.status) then 'inactive'
      when s.run_spec_digest <> p_spec_digest then 'reload'
    end, a.id
    into answer.outcome, known_id
    from api_tokens t
    left join sessions s on s.id = p_session
    left join approvals a on a.session_id = p_session and a.tool_call_id = p_call
    where t.token_sha256 = p_token;
  if not found then answer.outcome := 'unauthorized'; end if;
  if answer.outcome is not null then return answer; end if;
  if known_id is not null then
    select * into known from approvals where id = known_id;
    answer.outcome := svc_replay(known, p_tool, p_input_digest);
    if answer.outcome is not null then
      answer.approval_id := known_id;
      answer.reason := coalesce(known.withheld_reason, known.reason);
      answer.expires_at := known.expires_at;
      return answer;
    end if;
  end if;
  answer.approval_id := coalesce(known_id, p_id);
  answer.tool_calls := head.tool_calls + (known_id is null)::int;
  if answer.tool_calls > p_max_calls then
    answer.outcome := 'budget';
    return answer;
  end if;
  verdict := case when p_allow then 'auto_allowed' else 'auto_denied' end;
  answer.outcome := case when p_allow then 'allow' else 'deny' end;
  if known_id is not null then
    answer.seq := svc_gate_decide(known_id, verdict, p_source, p_original, p_reason, p_session, p_bodies[2:],
                                  p_digests[2:]);
    return answer;
  end if;
  answer.seq := head.seq + 2;
  first_doc := p_bodies[1]::jsonb;
  second_doc := p_bodies[2]::jsonb;
  at := clock_timestamp();
  first_hash := svc_link(head.head_hash, p_session, head.seq + 1, at, decode(p_digests[1], 'hex'));
  second_hash := svc_link(first_hash, p_session, answer.seq, at, decode(p_digests[2], 'hex'));
  with registered as (
    insert into approvals (id, tenant_id, session_id, tool_call_id, tool, summary, input_digest, status, source,
                           original_verdict, reason, decided_at, decided_by)
    values (p_id, p_tenant, p_session, p_call, p_tool, p_summary, p_input_digest, verdict, p_source, p_original,
            p_reason, at, 'gate')
  ), appended as (
    insert into events (tenant_id, session_id, seq, event_id, actor, type, schema_version, payload, body_digest, hash,
                        occurred_at)
    values (p_tenant, p_session, head.seq + 1, svc_event_id(first_hash), first_doc ->> 'actor', first_doc ->> 'type',
            (first_doc ->> 'version')::int, first_doc - 'actor' - 'version', decode(p_digests[1], 'hex'), first_hash,
            at),
           (p_tenant, p_session, answer.seq, svc_event_id(second_hash), second_doc ->> 'actor', second_doc ->> 'type',
            (second_doc ->> 'version')::int, second_doc - 'actor' - 'version', decode(p_digests[2], 'hex'), second_hash,
            at)
  )
  update session_heads set seq = answer.seq, head_hash = second_hash, tool_calls = answer.tool_calls,
    ledger_bytes = ledger_bytes + octet_length(p_bodies[1]) + octet_length(p_bodies[2])
    where session_id = p_session;
  return answer;
end
$$;

-- The verdict of a call that was registered before it was judged. The caller holds the head.
create or replace function svc_gate_decide(
  p_id uuid, p_status text, p_source text, p_original text, p_reason text, p_session uuid, p_bodies text[],
  p_digests text[]
)
returns bigint
language plpgsql
as $$
begin
  update approvals set status = p_status, source = p_source, original_verdict = p_original, reason = p_reason,
    decided_at = clock_timestamp(), decided_by = 'gate' where id = p_id;
  return svc_append(p_session, p_bodies, p_digests);
end
$$;

-- Registers those of the calls that are new, admitted and within their budget, whose runs the caller has locked: what
-- svc_gate does for such a call, in three statements for all of them. Each other call is left to svc_gate, and so is
-- the one that reaches 80 % of the budget, with those of its run behind it, because a warning tells the count at that
-- moment. Returns the answers by place, null for a call that was left. Statements are planned once, for any number of
-- calls.
create or replace function svc_gate_new(p_tenant uuid, p_calls svc_gate_call[], p_places int)
returns jsonb[]
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  answers jsonb[] := array_fill(null::jsonb, array[p_places]);
  one record;
  at timestamptz := clock_timestamp();
  run uuid;
  runs uuid[] := '{}';
  heads bytea[] := '{}';
  seqs bigint[] := '{}';
  counts int[] := '{}';
  sizes bigint[] := '{}';
  n int := 0;
  seq bigint;
  hash bytea;
  tool_calls int;
  size bigint;
  names text[];
  is_warned boolean;
  taken svc_gate_call[] := '{}';
  taken_seqs bigint[] := '{}';
  first_hashes bytea[] := '{}';
  second_hashes bytea[] := '{}';
begin
  for one in
    select c as call, c.place, c.session, c.call as name, c.id, c.allow, c.max_calls, c.bodies, c.digests,
           h.seq, h.head_hash, h.tool_calls
      from unnest(p_calls) as c
      cross join lateral svc_admitted_head(c.session, c.token, 'tool', c.spec_digest, at) as h
      where not exists (select 1 from approvals a where a.session_id = c.session and a.tool_call_id = c.call)
      order by c.session, c.place
  loop
    if one.session is distinct from run then
      n := n + 1;
      run := one.session; seq := one.seq; hash := one.head_hash; tool_calls := one.tool_calls; size := 0; names := '{}';
      is_warned := false;
    end if;
    is_warned := is_warned or coalesce(tool_calls + 1 = ceil(one.max_calls * 0.8), false);
    continue when is_warned or tool_calls + 1 > one.max_calls or one.name = any(names);
    names := names || one.name;
    taken := taken || one.call;
    hash := svc_link(hash, run, seq + 1, at, decode(one.digests[1], 'hex'));
    first_hashes := first_hashes || hash;
    hash := svc_link(hash, run, seq + 2, at, decode(one.digests[2], 'hex'));
    second_hashes := second_hashes || hash;
    seq := seq + 2;
    taken_seqs := taken_seqs || seq;
    tool_calls := tool_calls + 1;
    size := size + octet_length(one.bodies[1]) + octet_length(one.bodies[2]);
    runs[n] := run; heads[n] := hash; seqs[n] := seq; counts[n] := tool_calls; sizes[n] := size;
    answers[one.place] := jsonb_build_object('outcome', case when one.allow then 'allow' else 'deny' end,
      'approval_id', one.id, 'seq', seq, 'tool_calls', tool_calls, 'reason', null, 'expires_at', null,
      'outbox_id', null);
  end loop;
  with taken_calls as materialized (
    select * from unnest(taken, taken_seqs, first_hashes, second_hashes)
      as t (place, session, token, spec_digest, id, call, tool, summary, input_digest, allow, source, original, reason,
            max_calls, bodies, digests, last_seq, first_hash, second_hash)
  ), registered as (
    insert into approvals (id, tenant_id, session_id, tool_call_id, tool, summary, input_digest, status, source,
                           original_verdict, reason, decided_at, decided_by)
      select id, p_tenant, session, call, tool, summary, input_digest,
             case when allow then 'auto_allowed' else 'auto_denied' end, source, original, reason, at, 'gate'
        from taken_calls
  ), appended as (
    insert into events (tenant_id, session_id, seq, event_id, actor, type, schema_version, payload, body_digest, hash,
                        occurred_at)
      select p_tenant, t.session, e.seq, svc_event_id(e.hash), e.doc ->> 'actor', e.doc ->> 'type',
             (e.doc ->> 'version')::int, e.doc - '{actor,version}'::text[], decode(e.digest, 'hex'), e.hash, at
        from taken_calls t
        cross join lateral (values (last_seq - 1, bodies[1]::jsonb, digests[1], first_hash),
                                   (last_seq, bodies[2]::jsonb, digests[2], second_hash)) as e (seq, doc, digest, hash)
  )
  update session_heads h set seq = u.seq, head_hash = u.hash, tool_calls = u.tool_calls,
         ledger_bytes = h.ledger_bytes + u.size
    from unnest(runs, seqs, heads, counts, sizes) as u (session, seq, hash, tool_calls, size)
    where h.session_id = u.session;
  return answers;
end
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
  perform set_config('svc.tenant', p_tenant::text, true), set_config('synchronous_commit', 'off', true);
  insert into tool_call_payloads (tenant_id, session_id, tool_call_id, kind, sealed, key_version, expires_at)
    select p_tenant, v.session_id, v.tool_call_id, 'policy_view', v.sealed, v.key_version,
           clock_timestamp() + make_interval(secs => p_keep_secs)
    from unnest(p_sessions, p_calls, p_sealed, p_key_versions) as v (session_id, tool_call_id, sealed, key_version)
    on conflict (session_id, tool_call_id, kind) do nothing;
  get diagnostics kept = row_count;
  return kept;
end
$$;
