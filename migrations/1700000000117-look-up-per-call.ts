import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Grouped calls look their rows up one by one. As joins, the planner was free to begin with the rows of the organization: with few
 * of them it read all of its runs for each group, and each of the calls again for each run.
 */
export class LookUpPerCall1700000000117 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The head of a run that takes calls with this token and was frozen as the caller knows it; nothing for any other.
      create function svc_admitted_head(p_session uuid, p_token text, p_audience text, p_spec_digest text, p_at timestamptz)
      returns setof session_heads language sql stable as $$
        select h.* from session_heads h
          where h.session_id = p_session and not h.ending
            and exists (select 1 from api_tokens t
              where t.token_sha256 = p_token and t.audience = p_audience and t.session_id = p_session
                and t.revoked_at is null and t.expires_at > p_at)
            and exists (select 1 from sessions s
              where s.id = p_session and svc_accepts_work(s.status) and s.run_spec_digest = p_spec_digest)
          limit 1
      $$;

      create or replace function svc_gate_new(p_tenant uuid, p_calls svc_gate_call[], p_places int) returns jsonb[]
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
            'approval_id', one.id, 'seq', seq, 'tool_calls', tool_calls, 'reason', null, 'expires_at', null, 'outbox_id', null);
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
      end $$;

      create or replace function svc_reserve_plain(p_tenant uuid, p_calls svc_reserve_call[], p_answers jsonb[]) returns jsonb[]
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
      end $$;

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
          select * from unnest(settled, settled_seqs, settled_hashes)
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
            select p_tenant, t.session, t.seq, svc_event_id(t.hash), e.doc ->> 'actor', e.doc ->> 'type',
                   (e.doc ->> 'version')::int, e.doc - '{actor,version}'::text[], decode(t.digest, 'hex'), t.hash, at
              from settlements t cross join lateral (select t.body::jsonb) as e (doc)
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
