import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Model requests against the budget: one call before dispatch, one after (06-gate §7). Recorded spend lives on the head
 * row; a reservation counts from admission until it is settled, and for good when its usage never arrived.
 */
export class CreateReservationFunctions1700000000019 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create type svc_model_request as (
        id uuid, input_tokens bigint, wanted_output_tokens bigint, input_cost_micros bigint, output_micros_per_million bigint,
        max_tokens bigint, max_cost_micros bigint, max_live int, process_id uuid, ttl_secs numeric,
        result_ids text[], refused_result_ids text[], max_refused int
      );
      create type svc_reserve_answer as (
        outcome text, output_tokens bigint, spent_tokens bigint, spent_cost_micros bigint, reserved_tokens bigint,
        reserved_cost_micros bigint, unasked text[], refused text[]
      );

      -- Output tokens that a remainder of tokens and of money affords; null is unbounded.
      create function svc_affordable(p_tokens bigint, p_micros bigint, p_micros_per_million bigint)
      returns bigint language sql immutable parallel safe as $$
        select least(p_tokens, case when p_micros_per_million > 0
          then floor(p_micros::numeric * 1000000 / p_micros_per_million)::bigint
          when p_micros < 0 then 0 end)
      $$;

      -- Tool uses whose results a request carries although the gate never decided them (04-sandbox §1). A use that was never
      -- metered is one too: whoever renames an id in the conversation must not pass. Names of the broker are exempt.
      create function svc_unasked(p_session uuid, p_ids text[], p_refused boolean) returns text[] language sql stable as $$
        select coalesce(array_agg(r.id order by r.id), '{}') from unnest(p_ids) as r (id)
        left join llm_tool_uses u on u.session_id = p_session and u.tool_use_id = r.id
        where not coalesce(u.tool like 'mcp\\_\\_%', false) and not (p_refused and coalesce(u.rejected, false))
          and not exists (select from approvals a where a.session_id = p_session and a.tool_call_id = r.id
                          and a.status not in ('intent', 'pending'))
      $$;

      create function svc_reserve(p_token text, p_tenant uuid, p_session uuid, p_spec_digest text, p_request svc_model_request)
      returns svc_reserve_answer language plpgsql as $$
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
        insert into llm_reservations (id, tenant_id, session_id, state, input_tokens, output_tokens, cost_micros, process_id, expires_at)
        values (p_request.id, p_tenant, p_session, 'reserved', p_request.input_tokens, answer.output_tokens, cost,
                p_request.process_id, clock_timestamp() + make_interval(secs => p_request.ttl_secs));
        answer.outcome := 'reserved';
        return answer;
      end $$;

      create type svc_settlement as (
        state text, model text, input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint,
        cost_micros bigint, source text, usage_id uuid, max_tokens bigint, max_cost_micros bigint
      );
      create type svc_settle_answer as (
        outcome text, seq bigint, spent_tokens bigint, spent_cost_micros bigint, exhausted text
      );

      -- Settles a reservation as charged, released or unreported. Usage that arrives after it was given up as unreported
      -- replaces the held amount; everything else happens once.
      -- p_bodies: what the settlement appends. p_warn_tokens and p_warn_cost: budget.warning, appended when this
      -- settlement crosses 80 % of the cap; p_marker in them is replaced by the spend.
      create function svc_settle(p_tenant uuid, p_session uuid, p_id uuid, p_settlement svc_settlement,
        p_tool_use_ids text[], p_tool_use_names text[], p_bodies text[], p_digests text[],
        p_warn_tokens text, p_warn_cost text, p_marker text)
      returns svc_settle_answer language plpgsql as $$
      declare
        answer svc_settle_answer;
        held llm_reservations;
        head session_heads;
        chained record;
        tokens bigint := 0;
        cost bigint := 0;
        bodies text[] := p_bodies;
        digests text[] := p_digests;
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        select * into head from session_heads where session_id = p_session for no key update;
        if not found then raise exception 'run % not found', p_session using errcode = 'SG404'; end if;
        select * into held from llm_reservations where id = p_id and session_id = p_session for update;
        answer.spent_tokens := head.spent_tokens;
        answer.spent_cost_micros := head.spent_cost_micros;
        if held.id is null or not (held.state = 'reserved' or (held.state = 'unreported' and p_settlement.state = 'charged')) then
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
        if head.spent_tokens < p_settlement.max_tokens * 0.8 and answer.spent_tokens >= p_settlement.max_tokens * 0.8 then
          bodies := bodies || replace(p_warn_tokens, p_marker, answer.spent_tokens::text);
          digests := digests || null::text;
        end if;
        if head.spent_cost_micros < p_settlement.max_cost_micros * 0.8
           and answer.spent_cost_micros >= p_settlement.max_cost_micros * 0.8 then
          bodies := bodies || replace(p_warn_cost, p_marker, trim_scale(answer.spent_cost_micros / 1000000.0)::text);
          digests := digests || null::text;
        end if;
        chained := svc_chain(p_session, head.seq, head.head_hash, bodies, digests);
        update session_heads set seq = chained.seq, head_hash = chained.hash, ledger_bytes = ledger_bytes + chained.bytes,
          spent_tokens = answer.spent_tokens, spent_cost_micros = answer.spent_cost_micros where session_id = p_session;
        answer.seq := chained.seq;
        answer.exhausted := case
          when answer.spent_tokens >= p_settlement.max_tokens then 'max_tokens'
          when answer.spent_cost_micros >= p_settlement.max_cost_micros then 'max_cost_usd' end;
        answer.outcome := p_settlement.state;
        return answer;
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
