import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `budget.warning`, exactly once for each cap, in the transaction that reaches 80 % of it (06-gate §7). The marks live on the
 * head row, which every call and every settlement writes anyway: null is no cap, or warned already. Usage that arrives late and
 * lowers the spend again warns no second time.
 */
export class WarnOfBudgets1700000000058 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table session_heads
        add column warn_tool_calls int,
        add column warn_tokens bigint,
        add column warn_cost_micros bigint,
        add column wall_clock_warned boolean not null default false;

      -- 80 % of a cap, rounded up; null for no cap and for a cap of nothing, which is exceeded and not nearly reached.
      create function svc_warn_at(p_cap numeric) returns bigint language sql immutable parallel safe as
        $$ select case when p_cap > 0 then ceil(p_cap * 0.8)::bigint end $$;

      create function svc_mark_warnings() returns trigger language plpgsql as $$
      declare
        caps jsonb := (select run_spec -> 'budgets' from sessions where id = new.session_id);
      begin
        new.warn_tool_calls := svc_warn_at((caps ->> 'max_tool_calls')::numeric);
        new.warn_tokens := svc_warn_at((caps ->> 'max_tokens')::numeric);
        new.warn_cost_micros := svc_warn_at(round((caps ->> 'max_cost_usd')::numeric * 1000000));
        return new;
      end $$;
      create trigger mark_warnings before insert on session_heads for each row execute function svc_mark_warnings();

      -- Runs that are under way get their marks, those that were passed before excepted: they were warned of. The owner, who
      -- migrates, is isolated too: for this one statement it is not.
      alter table sessions no force row level security;
      alter table session_heads no force row level security;
      update session_heads h set
        warn_tool_calls = case when h.tool_calls < marks.calls then marks.calls end,
        warn_tokens = case when h.spent_tokens < marks.tokens then marks.tokens end,
        warn_cost_micros = case when h.spent_cost_micros < marks.cost then marks.cost end
        from (select s.id, svc_warn_at((s.run_spec -> 'budgets' ->> 'max_tool_calls')::numeric) as calls,
                svc_warn_at((s.run_spec -> 'budgets' ->> 'max_tokens')::numeric) as tokens,
                svc_warn_at(round((s.run_spec -> 'budgets' ->> 'max_cost_usd')::numeric * 1000000)) as cost
              from sessions s where not svc_is_terminal(s.status)) marks
        where marks.id = h.session_id;
      alter table sessions force row level security;
      alter table session_heads force row level security;

      -- The body is the RFC 8785 text that the caller would have made: members in order, no white space, texts of digits.
      create function svc_warning_body(p_budget text, p_limit text, p_spent text) returns text
      language sql immutable parallel safe as $$
        select '{"actor":"system","data":{"budget":"' || p_budget || '","limit":"' || p_limit || '","spent":"' || p_spent
          || '"},"type":"budget.warning","version":1}'
      $$;

      create function svc_warn_of_budgets() returns trigger language plpgsql as $$
      declare
        caps jsonb := (select run_spec -> 'budgets' from sessions where id = new.session_id);
        bodies text[] := '{}';
      begin
        if new.tool_calls >= new.warn_tool_calls then
          bodies := bodies || svc_warning_body('max_tool_calls', caps ->> 'max_tool_calls', new.tool_calls::text);
        end if;
        if new.spent_tokens >= new.warn_tokens then
          bodies := bodies || svc_warning_body('max_tokens', caps ->> 'max_tokens', new.spent_tokens::text);
        end if;
        if new.spent_cost_micros >= new.warn_cost_micros then
          bodies := bodies || svc_warning_body('max_cost_usd',
            trim_scale(round((caps ->> 'max_cost_usd')::numeric, 6))::text,
            trim_scale(new.spent_cost_micros / 1000000.0)::text);
        end if;
        update session_heads set
          warn_tool_calls = case when new.tool_calls >= new.warn_tool_calls then null else warn_tool_calls end,
          warn_tokens = case when new.spent_tokens >= new.warn_tokens then null else warn_tokens end,
          warn_cost_micros = case when new.spent_cost_micros >= new.warn_cost_micros then null else warn_cost_micros end
          where session_id = new.session_id;
        perform svc_append(new.session_id, bodies, array_fill(null::text, array[cardinality(bodies)]));
        return null;
      end $$;
      create trigger warn_of_budgets after update of tool_calls, spent_tokens, spent_cost_micros on session_heads
        for each row when (new.tool_calls >= new.warn_tool_calls or new.spent_tokens >= new.warn_tokens
                           or new.spent_cost_micros >= new.warn_cost_micros)
        execute function svc_warn_of_budgets();

      -- Settles a reservation as charged, released or unreported. Usage that arrives after it was given up as unreported
      -- replaces the held amount; everything else happens once. p_bodies: what the settlement appends.
      create function svc_settle(p_tenant uuid, p_session uuid, p_id uuid, p_settlement svc_settlement,
        p_tool_use_ids text[], p_tool_use_names text[], p_bodies text[], p_digests text[])
      returns svc_settle_answer language plpgsql as $$
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
        chained := svc_chain(p_session, head.seq, head.head_hash, p_bodies, p_digests);
        update session_heads set seq = chained.seq, head_hash = chained.hash, ledger_bytes = ledger_bytes + chained.bytes,
          spent_tokens = answer.spent_tokens, spent_cost_micros = answer.spent_cost_micros where session_id = p_session;
        answer.seq := chained.seq;
        answer.exhausted := case
          when answer.spent_tokens >= p_settlement.max_tokens then 'max_tokens'
          when answer.spent_cost_micros >= p_settlement.max_cost_micros then 'max_cost_usd' end;
        answer.outcome := p_settlement.state;
        return answer;
      end $$;
      drop function svc_settle(uuid, uuid, uuid, svc_settlement, text[], text[], text[], text[], text, text, text);`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
