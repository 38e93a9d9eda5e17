-- Model requests against the budget, before they are sent. Recorded spend lives on the head row; a reservation counts
-- from admission until it is settled, and for good when its usage never arrived.

create or replace function svc_is_brokered(p_session uuid, p_tool text)
returns boolean
language sql stable
as $$
  select exists (
    select from sessions s, jsonb_array_elements(s.run_spec -> 'brokered') as b (tool_set),
                lateral (select (b.tool_set ->> 'slot') || '__' as prefix) own
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

-- Marks those of the refusals that the run has not shown before, and says whether it has more now than it may.
create or replace function svc_mark_refused(
  p_tenant uuid, p_session uuid, p_ids text[], p_max int, out refused text[], out too_many boolean
)
language plpgsql
as $$
begin
  refused := svc_unasked(p_session, p_ids, true);
  too_many := false;
  if cardinality(refused) = 0 then return; end if;
  insert into llm_tool_uses (tenant_id, session_id, tool_use_id, tool, rejected)
    select p_tenant, p_session, r.id, 'unknown', true from unnest(refused) as r (id)
    on conflict (session_id, tool_use_id) do update set rejected = true;
  too_many := (select count(*) from llm_tool_uses where session_id = p_session and rejected) > p_max;
end
$$;

-- Answers the requests by their places; a single one is a group of one. The caller has locked the runs.
create or replace function svc_reserve(p_tenant uuid, p_calls svc_reserve_call[], p_answers jsonb[])
returns jsonb[]
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  least_output constant bigint := 1024;
  answers jsonb[] := p_answers;
  at timestamptz := clock_timestamp();
  one record;
  r svc_model_request;
  answer svc_reserve_answer;
  marked record;
  run uuid;
  live record;
  together bigint;
  cost bigint;
  held svc_reserve_call[] := '{}';
  outputs bigint[] := '{}';
  costs bigint[] := '{}';
begin
  for one in
    select c as call, c.place, c.session, c.request, a.refusal, (a.head).spent_tokens, (a.head).spent_cost_micros,
           l as live, case when cardinality((c.request).result_ids) > 0
             then svc_unasked(c.session, (c.request).result_ids, false) else '{}' end as unasked
      from unnest(p_calls) as c
      cross join lateral svc_admission(c.session, c.token, 'llm', c.spec_digest, at) as a
      cross join lateral (
        select count(*)::int as requests, coalesce(sum(input_tokens + output_tokens), 0)::bigint as tokens,
               coalesce(sum(cost_micros), 0)::bigint as cost
          from llm_reservations where session_id = c.session and state = 'reserved') l
      order by c.session, c.place
  loop
    r := one.request;
    if one.session is distinct from run then run := one.session; live := one.live; end if;
    answer := null;
    if one.refusal is not null then
      answer.outcome := one.refusal;
    elsif cardinality(one.unasked) > 0 then
      answer.unasked := one.unasked;
      answer.outcome := 'unasked_tool_use';
    elsif cardinality(r.refused_result_ids) > 0 then
      marked := svc_mark_refused(p_tenant, run, r.refused_result_ids, r.max_refused);
      answer.refused := marked.refused;
      if marked.too_many then answer.outcome := 'too_many_refused'; end if;
    end if;
    if answer.outcome is null then
      answer.spent_tokens := one.spent_tokens;
      answer.spent_cost_micros := one.spent_cost_micros;
      answer.reserved_tokens := live.tokens;
      answer.reserved_cost_micros := live.cost;
      together := svc_affordable(r.max_tokens - one.spent_tokens - r.input_tokens - live.tokens,
        r.max_cost_micros - one.spent_cost_micros - coalesce(r.input_cost_micros, 0) - live.cost,
        r.output_micros_per_million);
      if live.requests >= r.max_live then
        answer.outcome := 'too_many_live';
      elsif together < least_output then
        -- What is left once nothing is on its way any more.
        answer.outcome := case when svc_affordable(r.max_tokens - one.spent_tokens - r.input_tokens,
          r.max_cost_micros - one.spent_cost_micros - coalesce(r.input_cost_micros, 0), r.output_micros_per_million)
          < least_output then 'exhausted' else 'held' end;
      else
        answer.outcome := 'reserved';
        answer.output_tokens := least(r.wanted_output_tokens, together);
        cost := r.input_cost_micros
          + ceil(answer.output_tokens::numeric * r.output_micros_per_million / 1000000)::bigint;
        held := held || one.call;
        outputs := outputs || answer.output_tokens;
        costs := costs || cost;
        live.requests := live.requests + 1;
        live.tokens := live.tokens + r.input_tokens + answer.output_tokens;
        live.cost := live.cost + coalesce(cost, 0);
      end if;
    end if;
    answers[one.place] := to_jsonb(answer);
  end loop;
  insert into llm_reservations (id, tenant_id, session_id, state, input_tokens, output_tokens, cost_micros, process_id,
                                expires_at)
    select (h.request).id, p_tenant, h.session, 'reserved', (h.request).input_tokens, outputs[h.ordinality],
           costs[h.ordinality], (h.request).process_id,
           at + make_interval(secs => (h.request).ttl_secs::double precision)
      from unnest(held) with ordinality as h;
  return answers;
end
$$;

-- Locks the head of the run, and lists its requests that are still on their way.
create or replace function svc_lock_live_reservations(p_session uuid)
returns setof uuid
language plpgsql
as $$
begin
  perform svc_lock_head(p_session);
  return query select id from llm_reservations where session_id = p_session and state = 'reserved' order by id;
end
$$;

-- Whether a run accepts work, and its recorded spend; nothing when the organization has none of that id.
create or replace function svc_read_spend(p_session uuid)
returns table (accepts boolean, spent_tokens bigint, spent_cost_micros bigint)
language sql stable
as $$
  select svc_accepts_work(s.status) and not h.ending, h.spent_tokens, h.spent_cost_micros
    from sessions s join session_heads h on h.session_id = s.id where s.id = p_session
$$;

-- What providers reported of a run, and apart from it what never was reported.
create or replace function svc_read_usage(p_session uuid)
returns table (
  input_tokens numeric, output_tokens numeric, cache_read_tokens numeric, cache_write_tokens numeric,
  cost_micros numeric, requests bigint, unreported_requests bigint, reserved_micros numeric, tool_calls int
)
language sql stable
as $$
  select u.*, r.*, coalesce((select h.tool_calls from session_heads h where h.session_id = p_session), 0)
    from (select coalesce(sum(e.input_tokens), 0), coalesce(sum(e.output_tokens), 0),
                 coalesce(sum(e.cache_read_tokens), 0), coalesce(sum(e.cache_write_tokens), 0),
                 coalesce(sum(e.cost_micros), 0), count(*)
            from usage_entries e where e.session_id = p_session) u,
         (select count(*), coalesce(sum(l.cost_micros), 0)
            from llm_reservations l where l.session_id = p_session and l.state = 'unreported') r
$$;

-- Leases of processes: a reservation whose process lost its lease is given up.
create or replace function svc_open_process_lease(p_id uuid, p_kind text, p_host uuid, p_secs float8)
returns void
language sql
as $$
  insert into process_leases (id, kind, host_id, lease_expires_at)
  values (p_id, p_kind, p_host, clock_timestamp() + make_interval(secs => p_secs))
$$;

-- False when it was lost.
create or replace function svc_renew_process_lease(p_id uuid, p_secs float8)
returns boolean
language plpgsql
as $$
begin
  update process_leases set lease_expires_at = clock_timestamp() + make_interval(secs => p_secs)
    where id = p_id and lease_expires_at > clock_timestamp();
  return found;
end
$$;

create or replace function svc_close_process_lease(p_id uuid)
returns void
language sql
as $$
  delete from process_leases where id = p_id
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
