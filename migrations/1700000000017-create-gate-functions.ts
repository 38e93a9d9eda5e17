import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The gate in one call (00-design §4, chapter 30 §7). The caller has evaluated the policy already; the function checks the
 * token, the status and the frozen specification, finds replays, counts the budget, registers the call with its verdict and
 * appends the events. All under the run's head row, which every move of the run locks first, so the status it reads holds.
 */
export class CreateGateFunctions1700000000017 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Admission of one runner request: null when served, else the refusal. Sets the organization, locks the head row.
      create function svc_admit(p_token text, p_audience text, p_tenant uuid, p_session uuid, p_spec_digest text)
      returns text language plpgsql as $$
      declare
        token api_tokens;
        run record;
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        select * into token from api_tokens where token_sha256 = p_token;
        if not found then return 'unauthorized'; end if;
        if token.audience <> p_audience then return 'wrong_audience'; end if;
        if token.session_id <> p_session or token.revoked_at is not null or token.expires_at <= clock_timestamp() then
          return 'unauthorized';
        end if;
        perform 1 from session_heads where session_id = p_session for no key update;
        if not found then return 'not_found'; end if;
        select status, run_spec_digest into run from sessions where id = p_session;
        if not svc_accepts_work(run.status) then return 'inactive'; end if;
        if run.run_spec_digest <> p_spec_digest then return 'reload'; end if;
        return null;
      end $$;

      create type svc_gate_answer as (
        outcome text, approval_id uuid, seq bigint, tool_calls int, reason text, expires_at timestamptz, outbox_id bigint
      );

      -- What the registry already says about a call: null when it is new or still undecided.
      create function svc_replay(p_row approvals, p_tool text, p_input_digest text) returns text
      language sql immutable as $$
        select case
          when p_row.id is null then null
          when p_row.tool <> p_tool or p_row.input_digest <> p_input_digest then 'protocol_violation'
          when p_row.withheld_reason is not null then 'replay_deny'
          when p_row.status in ('auto_allowed', 'approved_once', 'approved_session') then 'replay_allow'
          when p_row.status in ('auto_denied', 'denied', 'expired') then 'replay_deny'
          when p_row.status = 'pending' then 'pending'
        end
      $$;

      -- p_bodies: tool.requested first (appended with a new registration only), then what the verdict appends.
      create function svc_gate(p_token text, p_tenant uuid, p_session uuid, p_spec_digest text, p_id uuid, p_call text,
        p_tool text, p_summary text, p_input_digest text, p_allow boolean, p_source text, p_original text, p_reason text,
        p_max_calls int, p_bodies text[], p_digests text[])
      returns svc_gate_answer language plpgsql as $$
      declare
        answer svc_gate_answer;
        known approvals;
        head session_heads;
        chained record;
        first int := 1;
      begin
        answer.outcome := svc_admit(p_token, 'tool', p_tenant, p_session, p_spec_digest);
        if answer.outcome is not null then return answer; end if;
        select * into known from approvals where session_id = p_session and tool_call_id = p_call;
        answer.approval_id := coalesce(known.id, p_id);
        answer.outcome := svc_replay(known, p_tool, p_input_digest);
        if answer.outcome is not null then
          answer.reason := coalesce(known.withheld_reason, known.reason);
          answer.expires_at := known.expires_at;
          return answer;
        end if;
        select * into head from session_heads where session_id = p_session;
        answer.tool_calls := head.tool_calls + case when known.id is null then 1 else 0 end;
        if answer.tool_calls > p_max_calls then
          answer.outcome := 'budget';
          return answer;
        end if;
        if known.id is null then
          insert into approvals (id, tenant_id, session_id, tool_call_id, tool, summary, input_digest, status, source,
                                 original_verdict, reason, decided_at, decided_by)
          values (p_id, p_tenant, p_session, p_call, p_tool, p_summary, p_input_digest,
                  case when p_allow then 'auto_allowed' else 'auto_denied' end, p_source, p_original, p_reason,
                  clock_timestamp(), 'gate');
        else
          update approvals set status = case when p_allow then 'auto_allowed' else 'auto_denied' end, source = p_source,
            original_verdict = p_original, reason = p_reason, decided_at = clock_timestamp(), decided_by = 'gate'
            where id = known.id;
          first := 2;
        end if;
        chained := svc_chain(p_session, head.seq, head.head_hash, p_bodies[first:], p_digests[first:]);
        update session_heads set seq = chained.seq, head_hash = chained.hash, ledger_bytes = ledger_bytes + chained.bytes,
          tool_calls = answer.tool_calls where session_id = p_session;
        answer.outcome := case when p_allow then 'allow' else 'deny' end;
        answer.seq := chained.seq;
        return answer;
      end $$;

      -- Registers a call without judging it, for verdicts that need more than one call; the count includes it.
      create function svc_register(p_token text, p_tenant uuid, p_session uuid, p_spec_digest text, p_id uuid, p_call text,
        p_tool text, p_summary text, p_input_digest text, p_bodies text[], p_digests text[])
      returns svc_gate_answer language plpgsql as $$
      declare
        answer svc_gate_answer;
        known approvals;
        head session_heads;
        chained record;
      begin
        answer.outcome := svc_admit(p_token, 'tool', p_tenant, p_session, p_spec_digest);
        if answer.outcome is not null then return answer; end if;
        select * into known from approvals where session_id = p_session and tool_call_id = p_call;
        select * into head from session_heads where session_id = p_session;
        answer.approval_id := coalesce(known.id, p_id);
        answer.tool_calls := head.tool_calls;
        answer.outcome := coalesce(svc_replay(known, p_tool, p_input_digest), 'registered');
        answer.reason := coalesce(known.withheld_reason, known.reason);
        answer.expires_at := known.expires_at;
        if known.id is not null then return answer; end if;
        insert into approvals (id, tenant_id, session_id, tool_call_id, tool, summary, input_digest, status)
        values (p_id, p_tenant, p_session, p_call, p_tool, p_summary, p_input_digest, 'intent');
        chained := svc_chain(p_session, head.seq, head.head_hash, p_bodies, p_digests);
        answer.tool_calls := head.tool_calls + 1;
        answer.seq := chained.seq;
        update session_heads set seq = chained.seq, head_hash = chained.hash, ledger_bytes = ledger_bytes + chained.bytes,
          tool_calls = answer.tool_calls where session_id = p_session;
        return answer;
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
