import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Several hot-path calls of one organization in one statement, so that calls which arrive while another is on its way share a
 * round trip and a commit. Each call is the function that it would have been alone; what one of them locks none of the others
 * waits for.
 */
export class GroupRunCalls1700000000065 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create type svc_gate_call as (
        place int, session uuid, token text, spec_digest text, id uuid, call text, tool text, summary text, input_digest text,
        allow boolean, source text, original text, reason text, max_calls int, bodies text[], digests text[]
      );

      -- Registers those of the calls that are new, admitted and within their budget, whose runs the caller has locked: what
      -- svc_gate does for such a call, in three statements for all of them. Each other call is left to svc_gate, and so is the
      -- one that reaches 80 % of the budget, with those of its run behind it, because a warning tells the count at that moment.
      -- Returns the answers by place, null for a call that was left. Statements are planned once, for any number of calls.
      create function svc_gate_new(p_tenant uuid, p_calls svc_gate_call[], p_places int) returns jsonb[]
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
            join session_heads h on h.session_id = c.session
            join api_tokens t on t.token_sha256 = c.token
            join sessions s on s.id = c.session
            left join approvals a on a.session_id = c.session and a.tool_call_id = c.call
            where a.id is null and t.audience = 'tool' and t.session_id = c.session and t.revoked_at is null
              and t.expires_at > at and not h.ending and svc_accepts_work(s.status) and s.run_spec_digest = c.spec_digest
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

      -- One answer for each call, in order; null for a call that was not made because somebody else holds its run. With p_wait
      -- such a call waits instead. p_calls: [kind, arguments] each; p_sessions: the run of each.
      create function svc_run_calls(p_tenant uuid, p_sessions uuid[], p_calls jsonb, p_wait boolean) returns setof jsonb
      language plpgsql as $$
      declare
        ignored text := set_config('svc.tenant', p_tenant::text, true);
        ours uuid[] := p_sessions;
        answers jsonb[];
        gated svc_gate_call[];
        g svc_gate_call;
      begin
        if not p_wait then
          ours := array(select session_id from session_heads where session_id = any(p_sessions) for no key update skip locked);
        end if;
        gated := array(select jsonb_populate_record(null::svc_gate_call, c.value -> 1 || jsonb_build_object('place', c.place))
          from jsonb_array_elements(p_calls) with ordinality as c (value, place)
          where c.value ->> 0 = 'gate' and p_sessions[c.place] = any(ours));
        answers := case when p_wait then array[null::jsonb] else svc_gate_new(p_tenant, gated, cardinality(p_sessions)) end;
        foreach g in array gated loop
          continue when answers[g.place] is not null;
          answers[g.place] := to_jsonb(svc_gate(g.token, p_tenant, g.session, g.spec_digest, g.id, g.call, g.tool, g.summary,
            g.input_digest, g.allow, g.source, g.original, g.reason, g.max_calls, g.bodies, g.digests));
        end loop;
        return query select unnest(answers);
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
