import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The gate and the append with as few statements as their order allows: each statement and each expression of a function costs
 * its start in every call. What a caller sees is unchanged.
 */
export class ShortenGate1700000000026 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Stable, as taking the epoch of a time is; declared so, it becomes part of the expression that calls it.
      create or replace function svc_link(p_previous bytea, p_session uuid, p_seq bigint, p_at timestamptz, p_digest bytea)
      returns bytea language sql stable parallel safe as $$
        select sha256(p_previous || uuid_send(p_session) || int8send(p_seq)
                      || int8send((extract(epoch from p_at) * 1000000)::bigint) || p_digest)
      $$;

      -- Three statements for a new call: lock the head; read what the verdict depends on, behind the lock, so that it holds;
      -- write registry, events and head. p_bodies: tool.requested, then tool.decision, both with their digests.
      create or replace function svc_gate(p_token text, p_tenant uuid, p_session uuid, p_spec_digest text, p_id uuid,
        p_call text, p_tool text, p_summary text, p_input_digest text, p_allow boolean, p_source text, p_original text,
        p_reason text, p_max_calls int, p_bodies text[], p_digests text[])
      returns svc_gate_answer language plpgsql as $$
      declare
        answer svc_gate_answer;
        head record;
        known approvals;
        known_id uuid;
        verdict text;
        first_doc jsonb;
        second_doc jsonb;
        at timestamptz;
        first_hash bytea;
        second_hash bytea;
      begin
        verdict := set_config('svc.tenant', p_tenant::text, true);
        select seq, head_hash, tool_calls into head from session_heads where session_id = p_session for no key update;
        select case
            when t.audience <> 'tool' then 'wrong_audience'
            when t.session_id <> p_session or t.revoked_at is not null or t.expires_at <= clock_timestamp() then 'unauthorized'
            when s.id is null or head.seq is null then 'not_found'
            when not svc_accepts_work(s.status) then 'inactive'
            when s.run_spec_digest <> p_spec_digest then 'reload'
          end, a.id
          into answer.outcome, known_id
          from api_tokens t
          left join sessions s on s.id = p_session
          left join approvals a on a.session_id = p_session and a.tool_call_id = p_call
          where t.token_sha256 = p_token;
        if not found then answer.outcome := 'unauthorized'; end if;
        if answer.outcome is not null then return answer; end if;
        if known_id is not null then
          select * into known from approvals where id = known_id;
          answer.outcome := svc_replay(known, p_tool, p_input_digest);
          if answer.outcome is not null then
            answer.approval_id := known_id;
            answer.reason := coalesce(known.withheld_reason, known.reason);
            answer.expires_at := known.expires_at;
            return answer;
          end if;
        end if;
        answer.approval_id := coalesce(known_id, p_id);
        answer.tool_calls := head.tool_calls + (known_id is null)::int;
        if answer.tool_calls > p_max_calls then
          answer.outcome := 'budget';
          return answer;
        end if;
        verdict := case when p_allow then 'auto_allowed' else 'auto_denied' end;
        answer.outcome := case when p_allow then 'allow' else 'deny' end;
        if known_id is not null then
          answer.seq := svc_gate_decide(known_id, verdict, p_source, p_original, p_reason, p_session, p_bodies[2:], p_digests[2:]);
          return answer;
        end if;
        answer.seq := head.seq + 2;
        first_doc := p_bodies[1]::jsonb;
        second_doc := p_bodies[2]::jsonb;
        at := clock_timestamp();
        first_hash := svc_link(head.head_hash, p_session, head.seq + 1, at, decode(p_digests[1], 'hex'));
        second_hash := svc_link(first_hash, p_session, answer.seq, at, decode(p_digests[2], 'hex'));
        with registered as (
          insert into approvals (id, tenant_id, session_id, tool_call_id, tool, summary, input_digest, status, source,
                                 original_verdict, reason, decided_at, decided_by)
          values (p_id, p_tenant, p_session, p_call, p_tool, p_summary, p_input_digest, verdict, p_source, p_original,
                  p_reason, at, 'gate')
        ), appended as (
          insert into events (tenant_id, session_id, seq, event_id, actor, type, schema_version, payload, body_digest, hash,
                              occurred_at)
          values (p_tenant, p_session, head.seq + 1, svc_event_id(first_hash), first_doc ->> 'actor', first_doc ->> 'type',
                  (first_doc ->> 'version')::int, first_doc - 'actor' - 'version', decode(p_digests[1], 'hex'), first_hash, at),
                 (p_tenant, p_session, answer.seq, svc_event_id(second_hash), second_doc ->> 'actor', second_doc ->> 'type',
                  (second_doc ->> 'version')::int, second_doc - 'actor' - 'version', decode(p_digests[2], 'hex'), second_hash, at)
        )
        update session_heads set seq = answer.seq, head_hash = second_hash, tool_calls = answer.tool_calls,
          ledger_bytes = ledger_bytes + octet_length(p_bodies[1]) + octet_length(p_bodies[2])
          where session_id = p_session;
        return answer;
      end $$;

      -- The verdict of a call that was registered before it was judged. The caller holds the head.
      create function svc_gate_decide(p_id uuid, p_status text, p_source text, p_original text, p_reason text, p_session uuid,
        p_bodies text[], p_digests text[])
      returns bigint language plpgsql as $$
      begin
        update approvals set status = p_status, source = p_source, original_verdict = p_original, reason = p_reason,
          decided_at = clock_timestamp(), decided_by = 'gate' where id = p_id;
        return svc_append(p_session, p_bodies, p_digests);
      end $$;

      -- One event, which is what writers with nothing else to put into a transaction nearly always have.
      create or replace function svc_append_alone(p_tenant uuid, p_session uuid, p_bodies text[], p_digests text[])
      returns bigint language plpgsql as $$
      declare
        head record;
        doc jsonb;
        digest bytea;
        at timestamptz;
        linked bytea;
        ignored text := set_config('svc.tenant', p_tenant::text, true);
      begin
        if array_length(p_bodies, 1) <> 1 or p_digests[1] is null then return svc_append(p_session, p_bodies, p_digests); end if;
        select seq, head_hash into head from session_heads where session_id = p_session for no key update;
        if not found then raise exception 'run % not found', p_session using errcode = 'SG404'; end if;
        doc := p_bodies[1]::jsonb;
        digest := decode(p_digests[1], 'hex');
        at := clock_timestamp();
        linked := svc_link(head.head_hash, p_session, head.seq + 1, at, digest);
        with appended as (
          insert into events (tenant_id, session_id, seq, event_id, actor, type, schema_version, payload, body_digest, hash,
                              occurred_at)
          values (p_tenant, p_session, head.seq + 1, svc_event_id(linked), doc ->> 'actor', doc ->> 'type',
                  (doc ->> 'version')::int, doc - 'actor' - 'version', digest, linked, at)
        )
        update session_heads set seq = head.seq + 1, head_hash = linked,
          ledger_bytes = ledger_bytes + octet_length(p_bodies[1]) where session_id = p_session;
        return head.seq + 1;
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
