import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A settlement's line for the ledger is parsed once. As a lateral subquery its parsing was copied to each of the four members that
 * are read of it.
 */
export class ParseLinesOnce1700000000122 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create or replace function svc_settle_plain(p_tenant uuid, p_calls svc_settle_call[], p_answers jsonb[]) returns jsonb[]
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
            run := one.session; seq := one.seq; hash := one.head_hash; tokens := one.spent_tokens; cost := one.spent_cost_micros;
            size := 0; is_warned := false;
          end if;
          s := one.settlement;
          more_tokens := tokens + s.input_tokens + s.output_tokens + s.cache_read_tokens + s.cache_write_tokens;
          more_cost := cost + coalesce(s.cost_micros, 0);
          is_warned := is_warned
            or coalesce(more_tokens >= s.max_tokens or more_tokens >= s.max_tokens * 0.8 and tokens < s.max_tokens * 0.8, false)
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
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
