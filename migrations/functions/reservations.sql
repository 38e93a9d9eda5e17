-- Model requests against the budget, before they are sent. Recorded spend lives on the head row; a reservation counts
-- from admission until it is settled, and for good when its usage never arrived.

create or replace function svc_is_brokered(p_session uuid, p_tool text)
returns boolean
language sql stable
as $$
  select exists (
    select from sessions s, jsonb_array_elements(s.run_spec -> 'brokered') as b (surface),
                lateral (select (b.surface ->> 'slot') || '__' as prefix) own
    where s.id = p_session and (starts_with(p_tool, own.prefix) or starts_with(p_tool, 'mcp__' || own.prefix)))
$$;

-- Tool uses whose results a request carries although the gate never decided them. A use that was never metered counts
-- too: renaming an id in the conversation must not help. Names of the broker are exempt.
create or replace function svc_unasked(p_session uuid, p_ids text[], p_refused boolean)
returns text[]
language sql stable
as $$
  select coalesce(array_agg(r.id order by r.id), '{}') from unnest(p_ids) as r (id)
  left join llm_tool_uses u on u.session_id = p_session and u.tool_use_id = r.id
  where not case when u.tool like '%\_\_%' then svc_is_brokered(p_session, u.tool) else false end
    and not (p_refused and coalesce(u.rejected, false))
    and not exists (select from approvals a where a.session_id = p_session and a.tool_call_id = r.id
                    and a.status not in ('intent', 'pending'))
$$;

-- Output tokens that a remainder of tokens and of money affords; null is unbounded.
create or replace function svc_affordable(p_tokens bigint, p_micros bigint, p_micros_per_million bigint)
returns bigint
language sql immutable parallel safe
as $$
  select least(p_tokens, case when p_micros_per_million > 0
    then floor(p_micros::numeric * 1000000 / p_micros_per_million)::bigint
    when p_micros < 0 then 0 end)
$$;

create or replace function svc_reserve(
  p_token text, p_tenant uuid, p_session uuid, p_spec_digest text, p_request svc_model_request
)
returns svc_reserve_answer
language plpgsql
as $$
declare
  answer svc_reserve_answer;
  live record;
  alone bigint;
  together bigint;
  cost bigint;
begin
  answer.outcome := svc_admit(p_token, 'llm', p_tenant, p_session, p_spec_digest);
  if answer.outcome is not null then return answer; end if;
  answer.unasked := svc_unasked(p_session, p_request.result_ids, false);
  if cardinality(answer.unasked) > 0 then answer.outcome := 'unasked_tool_use'; return answer; end if;
  answer.refused := svc_unasked(p_session, p_request.refused_result_ids, true);
  if cardinality(answer.refused) > 0 then
    insert into llm_tool_uses (tenant_id, session_id, tool_use_id, tool, rejected)
      select p_tenant, p_session, r.id, 'unknown', true from unnest(answer.refused) as r (id)
      on conflict (session_id, tool_use_id) do update set rejected = true;
    if (select count(*) from llm_tool_uses where session_id = p_session and rejected) > p_request.max_refused then
      answer.outcome := 'too_many_refused';
      return answer;
    end if;
  end if;
  select h.spent_tokens, h.spent_cost_micros into answer.spent_tokens, answer.spent_cost_micros
    from session_heads h where h.session_id = p_session;
  select count(*) as requests, coalesce(sum(input_tokens + output_tokens), 0) as tokens,
         coalesce(sum(cost_micros), 0) as cost
    into live from llm_reservations where session_id = p_session and state = 'reserved';
  answer.reserved_tokens := live.tokens;
  answer.reserved_cost_micros := live.cost;
  if live.requests >= p_request.max_live then answer.outcome := 'too_many_live'; return answer; end if;
  alone := svc_affordable(p_request.max_tokens - answer.spent_tokens - p_request.input_tokens,
    p_request.max_cost_micros - answer.spent_cost_micros - coalesce(p_request.input_cost_micros, 0),
    p_request.output_micros_per_million);
  if alone < 1024 then answer.outcome := 'exhausted'; return answer; end if;
  together := svc_affordable(p_request.max_tokens - answer.spent_tokens - p_request.input_tokens - live.tokens::bigint,
    p_request.max_cost_micros - answer.spent_cost_micros - coalesce(p_request.input_cost_micros, 0) - live.cost::bigint,
    p_request.output_micros_per_million);
  if together < 1024 then answer.outcome := 'held'; return answer; end if;
  answer.output_tokens := least(p_request.wanted_output_tokens, together);
  cost := p_request.input_cost_micros
    + ceil(answer.output_tokens::numeric * p_request.output_micros_per_million / 1000000)::bigint;
  insert into llm_reservations (id, tenant_id, session_id, state, input_tokens, output_tokens, cost_micros, process_id,
                                expires_at)
  values (p_request.id, p_tenant, p_session, 'reserved', p_request.input_tokens, answer.output_tokens, cost,
          p_request.process_id, clock_timestamp() + make_interval(secs => p_request.ttl_secs));
  answer.outcome := 'reserved';
  return answer;
end
$$;

-- Holds budget for those of the requests that svc_reserve would hold it for without a line in the ledger. The caller
-- has locked their runs. Returns the answers by place.
create or replace function svc_reserve_plain(p_tenant uuid, p_calls svc_reserve_call[], p_answers jsonb[])
returns jsonb[]
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  answers jsonb[] := p_answers;
  one record;
  r svc_model_request;
  at timestamptz := clock_timestamp();
  run uuid;
  live_requests int;
  live_tokens bigint;
  live_cost bigint;
  tokens_left bigint;
  micros_left bigint;
  together bigint;
  output bigint;
  cost bigint;
  held svc_reserve_call[] := '{}';
  outputs bigint[] := '{}';
  costs bigint[] := '{}';
begin
  for one in
    select c as call, c.place, c.session, c.request, h.spent_tokens, h.spent_cost_micros, l.requests, l.tokens, l.cost
      from unnest(p_calls) as c
      cross join lateral svc_admitted_head(c.session, c.token, 'llm', c.spec_digest, at) as h
      cross join lateral (
        select count(*)::int as requests, coalesce(sum(input_tokens + output_tokens), 0)::bigint as tokens,
               coalesce(sum(cost_micros), 0)::bigint as cost
          from llm_reservations where session_id = c.session and state = 'reserved') l
      where cardinality((c.request).refused_result_ids) = 0
        and case when cardinality((c.request).result_ids) = 0 then true
                 else cardinality(svc_unasked(c.session, (c.request).result_ids, false)) = 0 end
      order by c.session, c.place
  loop
    r := one.request;
    if one.session is distinct from run then
      run := one.session; live_requests := one.requests; live_tokens := one.tokens; live_cost := one.cost;
    end if;
    tokens_left := r.max_tokens - one.spent_tokens - r.input_tokens - live_tokens;
    micros_left := r.max_cost_micros - one.spent_cost_micros - coalesce(r.input_cost_micros, 0) - live_cost;
    together := svc_affordable(tokens_left, micros_left, r.output_micros_per_million);
    continue when live_requests >= r.max_live or together < 1024;
    output := least(r.wanted_output_tokens, together);
    cost := r.input_cost_micros + ceil(output::numeric * r.output_micros_per_million / 1000000)::bigint;
    held := held || one.call;
    outputs := outputs || output;
    costs := costs || cost;
    answers[one.place] := jsonb_build_object('outcome', 'reserved', 'output_tokens', output,
      'spent_tokens', one.spent_tokens, 'spent_cost_micros', one.spent_cost_micros, 'reserved_tokens', live_tokens,
      'reserved_cost_micros', live_cost, 'unasked', null, 'refused', null);
    live_requests := live_requests + 1;
    live_tokens := live_tokens + r.input_tokens + output;
    live_cost := live_cost + coalesce(cost, 0);
  end loop;
  insert into llm_reservations (id, tenant_id, session_id, state, input_tokens, output_tokens, cost_micros, process_id,
                                expires_at)
    select (h.request).id, p_tenant, h.session, 'reserved', (h.request).input_tokens, h.output, h.cost,
           (h.request).process_id, at + make_interval(secs => (h.request).ttl_secs::double precision)
      from unnest(held, outputs, costs) as h (place, session, token, spec_digest, request, output, cost);
  return answers;
end
$$;

-- Across organizations. These run as sandgate_system; an owner needs CREATE on the schema while it is given functions,
-- and at no other time.
grant create on schema public to sandgate_system;
set local role sandgate_system;

-- Reservations whose process lost its lease, or that outlived their own deadline.
create or replace function svc_list_dead_reservations(p_limit int)
returns table (organization_id uuid, session_id uuid, reservation_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select r.tenant_id, r.session_id, r.id from llm_reservations r
  left join process_leases l on l.id = r.process_id and l.lease_expires_at > clock_timestamp()
  where r.state = 'reserved' and (l.id is null or r.expires_at <= clock_timestamp()) limit p_limit
$$;

revoke all on function svc_list_dead_reservations from public;
grant execute on function svc_list_dead_reservations to sandgate_app;
reset role;
revoke create on schema public from sandgate_system;
