import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ownBySystem } from './row-isolation.js';

/**
 * The life of a brokered call in the record, one round trip a step: offer, read, claim, settle (chapter 40 §4, §5). Claim and settle
 * take the head row first, as everybody does who changes a run, so a run that was stopped cannot dispatch.
 */
export class CreateClaimFunctions1700000000101 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create type svc_offered_call as (call_id uuid, state text, attempt int, claim_id uuid);

      -- Keeps the input of a call that may be dispatched, and says what its claim is; state null where there is none.
      create function svc_offer_call(p_tenant uuid, p_session uuid, p_call text, p_sealed bytea, p_key_version smallint)
      returns svc_offered_call language plpgsql as $$
      declare
        ignored text := set_config('svc.tenant', p_tenant::text, true);
        offered svc_offered_call;
      begin
        select a.id, c.state, c.attempt, c.id into offered
          from approvals a
          left join tool_execution_claims c
            on c.session_id = a.session_id and c.tool_call_id = a.tool_call_id and c.input_digest = a.input_digest
          where a.session_id = p_session and a.tool_call_id = p_call;
        if offered.state is null or offered.state = 'failed_before_send' then
          insert into tool_call_payloads (tenant_id, session_id, tool_call_id, kind, sealed, key_version)
            values (p_tenant, p_session, p_call, 'input', p_sealed, p_key_version)
            on conflict (session_id, tool_call_id, kind) do update set sealed = excluded.sealed, key_version = excluded.key_version;
        end if;
        return offered;
      end $$;

      create type svc_brokered_call as (tool_call_id text, tool text, input_digest text, sealed bytea, key_version smallint);

      -- What a worker needs of a call that the gate has let go; no row where it has not, or where the input is gone.
      create function svc_read_call(p_tenant uuid, p_session uuid, p_call_id uuid) returns setof svc_brokered_call
      language plpgsql as $$
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        return query select a.tool_call_id, a.tool, a.input_digest, p.sealed, p.key_version
          from approvals a
          join tool_call_payloads p on p.session_id = a.session_id and p.tool_call_id = a.tool_call_id and p.kind = 'input'
          where a.id = p_call_id and a.session_id = p_session and svc_is_let_go(a);
      end $$;

      create function svc_is_let_go(p_call approvals) returns boolean language sql immutable as $$
        select p_call.status = 'auto_allowed'
          or (p_call.status in ('approved_once', 'approved_session') and p_call.released_at is not null
              and p_call.withheld_reason is null)
      $$;

      create type svc_claim_answer as (outcome text, claim_id uuid, attempt int);

      -- Takes the claim for one dispatch. Outcome claimed: the caller alone may send. inactive: the run accepts no work.
      -- not_allowed: the gate has not let the call go. taken: it is in another state, or another attempt than expected.
      create function svc_claim_call(p_tenant uuid, p_session uuid, p_call_id uuid, p_id uuid, p_attempt int, p_ttl_secs float8)
      returns svc_claim_answer language plpgsql as $$
      declare
        answer svc_claim_answer;
        is_ending boolean;
        run_status text;
        asked approvals;
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        select ending into is_ending from session_heads where session_id = p_session for no key update;
        select status into run_status from sessions where id = p_session;
        if run_status is null or is_ending or not svc_accepts_work(run_status) then
          answer.outcome := 'inactive';
          return answer;
        end if;
        select * into asked from approvals where id = p_call_id and session_id = p_session;
        if asked.id is null or not svc_is_let_go(asked) then
          answer.outcome := 'not_allowed';
          return answer;
        end if;
        if p_attempt = 1 then
          insert into tool_execution_claims (id, tenant_id, session_id, call_id, tool_call_id, tool, input_digest, claim_expires_at)
            values (p_id, p_tenant, p_session, asked.id, asked.tool_call_id, asked.tool, asked.input_digest,
                    clock_timestamp() + make_interval(secs => p_ttl_secs))
            on conflict (session_id, tool_call_id, input_digest) do nothing
            returning 'claimed', id, attempt into answer;
          -- The same caller again, who never heard that it has the claim.
          if answer.outcome is null then
            select 'claimed', c.id, c.attempt into answer from tool_execution_claims c
              where c.id = p_id and c.session_id = p_session and c.state = 'claimed';
          end if;
        else
          update tool_execution_claims c set state = 'claimed', attempt = p_attempt, claimed_at = clock_timestamp(),
              claim_expires_at = clock_timestamp() + make_interval(secs => p_ttl_secs),
              completed_at = null, result_digest = null, is_error = null, error_message = null
            where c.session_id = p_session and c.tool_call_id = asked.tool_call_id and c.input_digest = asked.input_digest
              and c.state = 'failed_before_send' and c.attempt = p_attempt - 1
            returning 'claimed', c.id, c.attempt into answer;
        end if;
        answer.outcome := coalesce(answer.outcome, 'taken');
        return answer;
      end $$;

      -- Compare-and-swap from claimed; the last seq, or null when somebody else has settled it, who has also written the events.
      create function svc_settle_call(p_tenant uuid, p_session uuid, p_claim uuid, p_attempt int, p_state text,
        p_result_digest text, p_error text, p_sealed bytea, p_key_version smallint, p_bodies text[], p_digests text[])
      returns bigint language plpgsql as $$
      declare
        settled tool_execution_claims;
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        perform 1 from session_heads where session_id = p_session for no key update;
        update tool_execution_claims set state = p_state, completed_at = clock_timestamp(), result_digest = p_result_digest,
            is_error = p_state <> 'succeeded', error_message = p_error
          where id = p_claim and session_id = p_session and state = 'claimed' and attempt = p_attempt
          returning * into settled;
        if settled.id is null then return null; end if;
        if p_sealed is not null then
          insert into tool_call_payloads (tenant_id, session_id, tool_call_id, kind, sealed, key_version)
            values (p_tenant, p_session, settled.tool_call_id, 'result', p_sealed, p_key_version);
        end if;
        delete from tool_call_payloads
          where session_id = p_session and tool_call_id = settled.tool_call_id and kind = 'input';
        return svc_append(p_session, p_bodies, p_digests);
      end $$;

      create type svc_stored_answer as (state text, attempt int, claim_id uuid, error_message text, tool_call_id text,
        sealed bytea, key_version smallint);

      -- The claim of a call with its stored answer; no row where it has no claim.
      create function svc_read_answer(p_tenant uuid, p_session uuid, p_call_id uuid) returns setof svc_stored_answer
      language plpgsql as $$
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        return query select c.state, c.attempt, c.id, c.error_message, c.tool_call_id, p.sealed, p.key_version
          from approvals a
          join tool_execution_claims c
            on c.session_id = a.session_id and c.tool_call_id = a.tool_call_id and c.input_digest = a.input_digest
          left join tool_call_payloads p on p.session_id = c.session_id and p.tool_call_id = c.tool_call_id and p.kind = 'result'
          where a.id = p_call_id and a.session_id = p_session;
      end $$;

      create function svc_list_expired_claims(p_limit int)
      returns table (organization_id uuid, session_id uuid, claim_id uuid)
      language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
        select c.tenant_id, c.session_id, c.id from tool_execution_claims c
          where c.state = 'claimed' and c.claim_expires_at <= clock_timestamp()
          order by c.claim_expires_at limit p_limit
      $$;
      ${ownBySystem('svc_list_expired_claims(int)')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
