-- Model requests against the budget, after they were sent, and the warnings that spend brings about.

-- The body is the RFC 8785 text that the caller would have made: members in order, no white space, texts of digits.
create or replace function svc_warning_body(p_budget text, p_limit text, p_spent text)
returns text
language sql immutable parallel safe
as $$
  select '{"actor":"system","data":{"budget":"' || p_budget || '","limit":"' || p_limit || '","spent":"' || p_spent
    || '"},"type":"budget.warning","version":1}'
$$;

-- Settles reservations as charged, released or unreported, each with what it appends, and answers by their places; a
-- single one is a group of one. Usage that arrives after it was given up as unreported replaces the held amount;
-- everything else happens once. The caller has locked the runs. A settlement waits for one before it that brings a
-- warning about, or of the same reservation: it is handed back, with those of its run behind it, for the next round.
create or replace function svc_settle(p_tenant uuid, inout calls svc_settle_call[], inout answers jsonb[])
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  at timestamptz := clock_timestamp();
  one record;
  call svc_settle_call;
  s svc_settlement;
  held llm_reservations;
  answer svc_settle_answer;
  run uuid;
  head session_heads;
  ids uuid[];
  waits boolean;
  step record;
  n int := 0;
  heads session_heads[] := '{}';
  settled svc_settle_call[] := '{}';
  linked svc_linked_event[] := '{}';
  waiting svc_settle_call[] := '{}';
begin
  for one in
    select c as call, h as head, l as held
      from unnest(calls) as c
      left join lateral (select * from session_heads where session_id = c.session limit 1) h on true
      left join lateral (
        select * from llm_reservations where id = c.id and session_id = c.session limit 1) l on true
      order by c.session, c.place
  loop
    call := one.call; s := call.settlement; held := one.held;
    if call.session is distinct from run then
      n := n + 1;
      run := call.session; head := one.head; ids := '{}'; waits := false;
      if head.session_id is null then raise exception 'run % not found', run using errcode = 'SG404'; end if;
    end if;
    waits := waits or call.id = any(ids);
    if waits then waiting := waiting || call; continue; end if;
    answer := null;
    if held.state = 'reserved' or (held.state = 'unreported' and s.state = 'charged') then
      if held.state = 'unreported' then
        head.spent_tokens := head.spent_tokens - held.input_tokens - held.output_tokens;
        head.spent_cost_micros := head.spent_cost_micros - coalesce(held.cost_micros, 0);
      end if;
      if s.state = 'charged' then
        head.spent_tokens := head.spent_tokens + s.input_tokens + s.output_tokens + s.cache_read_tokens
          + s.cache_write_tokens;
        head.spent_cost_micros := head.spent_cost_micros + coalesce(s.cost_micros, 0);
      elsif s.state = 'unreported' then
        head.spent_tokens := head.spent_tokens + held.input_tokens + held.output_tokens;
        head.spent_cost_micros := head.spent_cost_micros + coalesce(held.cost_micros, 0);
      end if;
      step := svc_link_events(head, call.bodies, call.digests, at);
      head := step.head;
      heads[n] := head;
      linked := linked || step.linked;
      settled := settled || call;
      ids := ids || call.id;
      answer.outcome := s.state;
      answer.seq := head.seq;
      answer.exhausted := case
        when head.spent_tokens >= s.max_tokens then 'max_tokens'
        when head.spent_cost_micros >= s.max_cost_micros then 'max_cost_usd' end;
      waits := coalesce(head.spent_tokens >= head.warn_tokens, false)
        or coalesce(head.spent_cost_micros >= head.warn_cost_micros, false);
    else
      answer.outcome := 'already';
    end if;
    answer.spent_tokens := head.spent_tokens;
    answer.spent_cost_micros := head.spent_cost_micros;
    answers[call.place] := to_jsonb(answer);
  end loop;
  calls := waiting;
  if cardinality(settled) = 0 then return; end if;
  with settlements as materialized (
    select c.session, c.id, c.settlement, c.tool_use_ids, c.tool_use_names from unnest(settled) as c
  ), given_back as (
    update llm_reservations l set state = (c.settlement).state, settled_at = at from settlements c where l.id = c.id
  ), used as (
    insert into usage_entries (id, tenant_id, session_id, external_id, model, input_tokens, output_tokens,
                               cache_read_tokens, cache_write_tokens, cost_micros, source)
      select (c.settlement).usage_id, p_tenant, c.session, c.id, (c.settlement).model, (c.settlement).input_tokens,
             (c.settlement).output_tokens, (c.settlement).cache_read_tokens, (c.settlement).cache_write_tokens,
             (c.settlement).cost_micros, (c.settlement).source
        from settlements c where (c.settlement).state = 'charged'
  ), metered as (
    insert into llm_tool_uses (tenant_id, session_id, tool_use_id, tool)
      select p_tenant, c.session, u.id, u.name
        from settlements c cross join lateral unnest(c.tool_use_ids, c.tool_use_names) as u (id, name)
      on conflict (session_id, tool_use_id) do nothing
  ), appended as (
    insert into events (tenant_id, session_id, seq, event_id, actor, type, schema_version, payload, body_digest, hash,
                        occurred_at)
      select p_tenant, e.session_id, e.seq, svc_event_id(e.hash), d.doc ->> 'actor', d.doc ->> 'type',
             (d.doc ->> 'version')::int, d.doc - '{actor,version}'::text[], e.digest, e.hash, e.occurred_at
        from unnest(linked) as e cross join lateral (select e.body::jsonb as doc offset 0) as d
  )
  update session_heads h set seq = u.seq, head_hash = u.head_hash, ledger_bytes = u.ledger_bytes,
         spent_tokens = u.spent_tokens, spent_cost_micros = u.spent_cost_micros
    from unnest(heads) as u where h.session_id = u.session_id;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Runs that reached a cap and were not ended, because the process that saw it died. Recorded
-- spend only: what requests in flight reserve is what the caps afford them. Calls are never above their cap; a denied
-- one that is over it is on the record.
create or replace function svc_list_overspent_runs(p_limit int)
returns table (organization_id uuid, session_id uuid, budget text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select s.tenant_id, s.id, case
      when h.spent_cost_micros >= round((s.run_spec -> 'budgets' ->> 'max_cost_usd')::numeric * 1000000)
        then 'max_cost_usd'
      when h.spent_tokens >= (s.run_spec -> 'budgets' ->> 'max_tokens')::numeric then 'max_tokens'
      else 'max_tool_calls' end
  from sessions s join session_heads h on h.session_id = s.id
  where s.status in ('running', 'awaiting_approval')
    and (h.spent_cost_micros >= round((s.run_spec -> 'budgets' ->> 'max_cost_usd')::numeric * 1000000)
         or h.spent_tokens >= (s.run_spec -> 'budgets' ->> 'max_tokens')::numeric
         or h.tool_calls > (s.run_spec -> 'budgets' ->> 'max_tool_calls')::numeric)
    and not exists (select from session_finalizations f where f.session_id = s.id)
  limit p_limit
$$;

revoke all on function svc_list_overspent_runs from public;
grant execute on function svc_list_overspent_runs to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
