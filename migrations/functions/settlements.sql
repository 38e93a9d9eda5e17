-- Model requests against the budget, after they were sent, and the warnings that spend brings about.

-- The body is the RFC 8785 text that the caller would have made: members in order, no white space, texts of digits.
create or replace function svc_warning_body(p_budget text, p_limit text, p_spent text)
returns text
language sql immutable parallel safe
as $$
  select '{"actor":"system","data":{"budget":"' || p_budget || '","limit":"' || p_limit || '","spent":"' || p_spent
    || '"},"type":"budget.warning","version":1}'
$$;

-- Settles a reservation as charged, released or unreported. Usage that arrives after it was given up as unreported
-- replaces the held amount; everything else happens once. p_bodies: what the settlement appends.
create or replace function svc_settle(
  p_tenant uuid, p_session uuid, p_id uuid, p_settlement svc_settlement, p_tool_use_ids text[],
  p_tool_use_names text[], p_bodies text[], p_digests text[]
)
returns svc_settle_answer
language plpgsql
as $$
declare
  answer svc_settle_answer;
  held llm_reservations;
  head session_heads;
  chained record;
  tokens bigint := 0;
  cost bigint := 0;
begin
  perform set_config('svc.tenant', p_tenant::text, true);
  select * into head from session_heads where session_id = p_session for no key update;
  if not found then raise exception 'run % not found', p_session using errcode = 'SG404'; end if;
  select * into held from llm_reservations where id = p_id and session_id = p_session for update;
  answer.spent_tokens := head.spent_tokens;
  answer.spent_cost_micros := head.spent_cost_micros;
  if held.id is null
    or not (held.state = 'reserved' or (held.state = 'unreported' and p_settlement.state = 'charged')) then
    answer.outcome := 'already';
    return answer;
  end if;
  update llm_reservations set state = p_settlement.state, settled_at = clock_timestamp() where id = p_id;
  if held.state = 'unreported' then
    tokens := - held.input_tokens - held.output_tokens;
    cost := - coalesce(held.cost_micros, 0);
  end if;
  if p_settlement.state = 'charged' then
    insert into usage_entries (id, tenant_id, session_id, external_id, model, input_tokens, output_tokens,
                               cache_read_tokens, cache_write_tokens, cost_micros, source)
    values (p_settlement.usage_id, p_tenant, p_session, p_id, p_settlement.model, p_settlement.input_tokens,
            p_settlement.output_tokens, p_settlement.cache_read_tokens, p_settlement.cache_write_tokens,
            p_settlement.cost_micros, p_settlement.source);
    tokens := tokens + p_settlement.input_tokens + p_settlement.output_tokens + p_settlement.cache_read_tokens
      + p_settlement.cache_write_tokens;
    cost := cost + coalesce(p_settlement.cost_micros, 0);
  elsif p_settlement.state = 'unreported' then
    tokens := held.input_tokens + held.output_tokens;
    cost := coalesce(held.cost_micros, 0);
  end if;
  insert into llm_tool_uses (tenant_id, session_id, tool_use_id, tool)
    select p_tenant, p_session, u.id, u.name from unnest(p_tool_use_ids, p_tool_use_names) as u (id, name)
    on conflict (session_id, tool_use_id) do nothing;
  answer.spent_tokens := head.spent_tokens + tokens;
  answer.spent_cost_micros := head.spent_cost_micros + cost;
  chained := svc_chain(p_session, head.seq, head.head_hash, p_bodies, p_digests);
  update session_heads set seq = chained.seq, head_hash = chained.hash, ledger_bytes = ledger_bytes + chained.bytes,
    spent_tokens = answer.spent_tokens, spent_cost_micros = answer.spent_cost_micros where session_id = p_session;
  answer.seq := chained.seq;
  answer.exhausted := case
    when answer.spent_tokens >= p_settlement.max_tokens then 'max_tokens'
    when answer.spent_cost_micros >= p_settlement.max_cost_micros then 'max_cost_usd' end;
  answer.outcome := p_settlement.state;
  return answer;
end
$$;

-- Charges those of the settlements that are the first for their reservation, have one line for the ledger and neither
-- reach a cap nor 80 % of one. The caller has locked their runs. Returns the answers by place.
create or replace function svc_settle_plain(p_tenant uuid, p_calls svc_settle_call[], p_answers jsonb[])
returns jsonb[]
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  answers jsonb[] := p_answers;
  one record;
  s svc_settlement;
  at timestamptz := clock_timestamp();
  run uuid;
  is_warned boolean;
  runs uuid[] := '{}';
  heads bytea[] := '{}';
  seqs bigint[] := '{}';
  token_sums bigint[] := '{}';
  cost_sums bigint[] := '{}';
  sizes bigint[] := '{}';
  n int := 0;
  seq bigint;
  hash bytea;
  tokens bigint;
  cost bigint;
  size bigint;
  more_tokens bigint;
  more_cost bigint;
  settled svc_settle_call[] := '{}';
  settled_ids uuid[] := '{}';
  settled_seqs bigint[] := '{}';
  settled_hashes bytea[] := '{}';
begin
  for one in
    select c as call, c.place, c.session, c.id, c.settlement, c.body, c.digest, h.seq, h.head_hash, h.spent_tokens,
           h.spent_cost_micros
      from unnest(p_calls) as c
      cross join lateral (
        select h.seq, h.head_hash, h.spent_tokens, h.spent_cost_micros
          from session_heads h where h.session_id = c.session limit 1) h
      where (c.settlement).state = 'charged' and exists (
        select 1 from llm_reservations l where l.id = c.id and l.session_id = c.session and l.state = 'reserved')
      order by c.session, c.place
  loop
    if one.session is distinct from run then
      n := n + 1;
      run := one.session; seq := one.seq; hash := one.head_hash;
      tokens := one.spent_tokens; cost := one.spent_cost_micros;
      size := 0; is_warned := false;
    end if;
    s := one.settlement;
    more_tokens := tokens + s.input_tokens + s.output_tokens + s.cache_read_tokens + s.cache_write_tokens;
    more_cost := cost + coalesce(s.cost_micros, 0);
    is_warned := is_warned
      or coalesce(more_tokens >= s.max_tokens
                  or more_tokens >= s.max_tokens * 0.8 and tokens < s.max_tokens * 0.8, false)
      or coalesce(more_cost >= s.max_cost_micros
                  or more_cost >= s.max_cost_micros * 0.8 and cost < s.max_cost_micros * 0.8, false);
    continue when is_warned or one.id = any(settled_ids);
    tokens := more_tokens; cost := more_cost;
    seq := seq + 1;
    hash := svc_link(hash, run, seq, at, decode(one.digest, 'hex'));
    size := size + octet_length(one.body);
    settled := settled || one.call;
    settled_ids := settled_ids || one.id;
    settled_seqs := settled_seqs || seq;
    settled_hashes := settled_hashes || hash;
    runs[n] := run; heads[n] := hash; seqs[n] := seq; sizes[n] := size; token_sums[n] := tokens; cost_sums[n] := cost;
    answers[one.place] := jsonb_build_object('outcome', 'charged', 'seq', seq, 'spent_tokens', tokens,
      'spent_cost_micros', cost, 'exhausted', null);
  end loop;
  with settlements as materialized (
    select t.*, t.body::jsonb as doc from unnest(settled, settled_seqs, settled_hashes)
      as t (place, session, id, settlement, tool_use_ids, tool_use_names, body, digest, seq, hash)
  ), given_back as (
    update llm_reservations l set state = 'charged', settled_at = at from settlements t where l.id = t.id
  ), used as (
    insert into usage_entries (id, tenant_id, session_id, external_id, model, input_tokens, output_tokens,
                               cache_read_tokens, cache_write_tokens, cost_micros, source)
      select (t.settlement).usage_id, p_tenant, t.session, t.id, (t.settlement).model, (t.settlement).input_tokens,
             (t.settlement).output_tokens, (t.settlement).cache_read_tokens, (t.settlement).cache_write_tokens,
             (t.settlement).cost_micros, (t.settlement).source
        from settlements t
  ), metered as (
    insert into llm_tool_uses (tenant_id, session_id, tool_use_id, tool)
      select p_tenant, t.session, u.id, u.name
        from settlements t cross join lateral unnest(t.tool_use_ids, t.tool_use_names) as u (id, name)
      on conflict (session_id, tool_use_id) do nothing
  ), appended as (
    insert into events (tenant_id, session_id, seq, event_id, actor, type, schema_version, payload, body_digest, hash,
                        occurred_at)
      select p_tenant, t.session, t.seq, svc_event_id(t.hash), t.doc ->> 'actor', t.doc ->> 'type',
             (t.doc ->> 'version')::int, t.doc - '{actor,version}'::text[], decode(t.digest, 'hex'), t.hash, at
        from settlements t
  )
  update session_heads h set seq = u.seq, head_hash = u.hash, ledger_bytes = h.ledger_bytes + u.size,
         spent_tokens = u.tokens, spent_cost_micros = u.cost
    from unnest(runs, seqs, heads, sizes, token_sums, cost_sums) as u (session, seq, hash, size, tokens, cost)
    where h.session_id = u.session;
  return answers;
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
