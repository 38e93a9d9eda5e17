import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A run that somebody has ended accepts no more work, from the moment its intent is on the record and not only when the driver
 * has moved it (00-design §6). The head row, which every admission locks and reads anyway, carries the fact, so that looking
 * costs nothing.
 */
export class RefuseAfterIntent1700000000040 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table session_heads add column ending boolean not null default false;

      -- The owner, who migrates, is isolated too: for this one statement it is not.
      alter table session_heads no force row level security;
      alter table session_finalizations no force row level security;
      update session_heads h set ending = true from session_finalizations f where f.session_id = h.session_id;
      alter table session_heads force row level security;
      alter table session_finalizations force row level security;

      create function svc_note_ending() returns trigger language plpgsql as $$
      begin
        update session_heads set ending = true where session_id = new.session_id;
        return null;
      end $$;
      create trigger note_ending after insert on session_finalizations
        for each row execute function svc_note_ending();

      -- Admission of one runner request: null when served, else the refusal. Sets the organization, locks the head row.
      create or replace function svc_admit(p_token text, p_audience text, p_tenant uuid, p_session uuid, p_spec_digest text)
      returns text language plpgsql as $$
      declare
        token api_tokens;
        run record;
        is_ending boolean;
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        select * into token from api_tokens where token_sha256 = p_token;
        if not found then return 'unauthorized'; end if;
        if token.audience <> p_audience then return 'wrong_audience'; end if;
        if token.session_id <> p_session or token.revoked_at is not null or token.expires_at <= clock_timestamp() then
          return 'unauthorized';
        end if;
        select ending into is_ending from session_heads where session_id = p_session for no key update;
        if not found then return 'not_found'; end if;
        select status, run_spec_digest into run from sessions where id = p_session;
        if is_ending or not svc_accepts_work(run.status) then return 'inactive'; end if;
        if run.run_spec_digest <> p_spec_digest then return 'reload'; end if;
        return null;
      end $$;

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
        select seq, head_hash, tool_calls, ending into head from session_heads where session_id = p_session for no key update;
        select case
            when t.audience <> 'tool' then 'wrong_audience'
            when t.session_id <> p_session or t.revoked_at is not null or t.expires_at <= clock_timestamp() then 'unauthorized'
            when s.id is null or head.seq is null then 'not_found'
            when head.ending or not svc_accepts_work(s.status) then 'inactive'
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

      -- The status of the run as its runner has to take it: an acknowledged intent counts before the driver has moved the run.
      -- Null when the organization has none of that id.
      create or replace function svc_heartbeat(p_tenant uuid, p_session uuid) returns text language plpgsql as $$
      declare
        is_ending boolean;
        present text;
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        update session_heads set last_heartbeat_at = clock_timestamp() where session_id = p_session returning ending into is_ending;
        select status into present from sessions where id = p_session;
        if is_ending and svc_accepts_work(present) then
          return (select case when needs_quiesce then 'cancelling' else 'finalizing' end
                  from session_finalizations where session_id = p_session);
        end if;
        return present;
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
