import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Reservations and settlements of model requests beside the verdicts of the gate in one statement (06-gate §7). Only what nearly
 * every request needs is done here, for all of them at once; a call that is anything else is answered with null and made again
 * alone, by `svc_reserve` or `svc_settle`.
 */
export class GroupModelCalls1700000000066 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create type svc_reserve_call as (
        place int, session uuid, token text, spec_digest text, request svc_model_request
      );
      create type svc_settle_call as (
        place int, session uuid, id uuid, settlement svc_settlement, tool_use_ids text[], tool_use_names text[], body text,
        digest text
      );

      -- Holds budget for those of the requests that svc_reserve would hold it for without a line in the ledger. The caller has
      -- locked their runs. Returns the answers by place.
      create function svc_reserve_plain(p_tenant uuid, p_calls svc_reserve_call[], p_answers jsonb[]) returns jsonb[]
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
            join session_heads h on h.session_id = c.session
            join api_tokens t on t.token_sha256 = c.token
            join sessions s on s.id = c.session
            cross join lateral (
              select count(*)::int as requests, coalesce(sum(input_tokens + output_tokens), 0)::bigint as tokens,
                     coalesce(sum(cost_micros), 0)::bigint as cost
                from llm_reservations where session_id = c.session and state = 'reserved') l
            where t.audience = 'llm' and t.session_id = c.session and t.revoked_at is null and t.expires_at > at
              and not h.ending and svc_accepts_work(s.status) and s.run_spec_digest = c.spec_digest
              and cardinality((c.request).refused_result_ids) = 0
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

      -- Charges those of the settlements that are the first for their reservation, have one line for the ledger and neither reach
      -- a cap nor 80 % of one. The caller has locked their runs. Returns the answers by place.
      create function svc_settle_plain(p_tenant uuid, p_calls svc_settle_call[], p_answers jsonb[]) returns jsonb[]
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
            join session_heads h on h.session_id = c.session
            join llm_reservations l on l.id = c.id and l.session_id = c.session
            where l.state = 'reserved' and (c.settlement).state = 'charged'
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
      end $$;

      -- One answer for each call, in order; null for a call that has to be made alone: somebody else holds its run, or it is of a
      -- kind and not of the plain sort. p_calls: [kind, arguments] each; p_sessions: the run of each. Settlements come before
      -- reservations, which then see what is left.
      drop function svc_run_calls(uuid, uuid[], jsonb, boolean);
      create function svc_run_calls(p_tenant uuid, p_sessions uuid[], p_calls jsonb) returns setof jsonb
      language plpgsql as $$
      declare
        ignored text := set_config('svc.tenant', p_tenant::text, true);
        ours uuid[];
        answers jsonb[] := array_fill(null::jsonb, array[cardinality(p_sessions)]);
        gated svc_gate_call[];
        reserved svc_reserve_call[];
        settled svc_settle_call[];
        g svc_gate_call;
      begin
        ours := array(select session_id from session_heads where session_id = any(p_sessions) for no key update skip locked);
        with calls as (
          select value ->> 0 as kind, value -> 1 || jsonb_build_object('place', place) as arguments
            from jsonb_array_elements(p_calls) with ordinality as c (value, place) where p_sessions[c.place] = any(ours)
        )
        select array_agg(jsonb_populate_record(null::svc_gate_call, arguments)) filter (where kind = 'gate'),
               array_agg(jsonb_populate_record(null::svc_reserve_call, arguments)) filter (where kind = 'reserve'),
               array_agg(jsonb_populate_record(null::svc_settle_call, arguments)) filter (where kind = 'settle')
          into gated, reserved, settled from calls;
        if gated is not null then
          answers := svc_gate_new(p_tenant, gated, cardinality(p_sessions));
          foreach g in array gated loop
            continue when answers[g.place] is not null;
            answers[g.place] := to_jsonb(svc_gate(g.token, p_tenant, g.session, g.spec_digest, g.id, g.call, g.tool, g.summary,
              g.input_digest, g.allow, g.source, g.original, g.reason, g.max_calls, g.bodies, g.digests));
          end loop;
        end if;
        if settled is not null then answers := svc_settle_plain(p_tenant, settled, answers); end if;
        if reserved is not null then answers := svc_reserve_plain(p_tenant, reserved, answers); end if;
        return query select unnest(answers);
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
