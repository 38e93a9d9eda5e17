import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/**
 * Claims of brokered calls (chapter 40 §5): the one authority on whether a call may be sent. What an upstream answered rests in
 * `tool_call_payloads`, sealed, under the kind `result`.
 */
export class CreateToolExecutionClaims1700000000100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table tool_execution_claims (
        id uuid primary key,
        tenant_id uuid not null,
        session_id uuid not null,
        call_id uuid not null references approvals (id),
        tool_call_id text not null,
        tool text not null,
        input_digest text not null,
        state text not null default 'claimed'
          check (state in ('claimed', 'succeeded', 'failed_upstream', 'failed_before_send', 'ambiguous')),
        attempt int not null default 1 check (attempt >= 1),
        claimed_at timestamptz not null default clock_timestamp(),
        claim_expires_at timestamptz not null,
        completed_at timestamptz,
        result_digest text,
        is_error boolean,
        error_message text check (char_length(error_message) <= 400),
        unique (session_id, tool_call_id, input_digest),
        foreign key (tenant_id, session_id) references sessions (tenant_id, id),
        check ((state = 'claimed') = (completed_at is null))
      );
      create index tool_execution_claims_open on tool_execution_claims (claim_expires_at) where state = 'claimed';
      create index tool_execution_claims_of_run on tool_execution_claims (session_id) where state = 'claimed';
      ${isolateByOrganization('tool_execution_claims', { app: 'select, insert, update', system: 'select' })}

      -- What is terminal stays as it is, whoever writes: a call of unknown outcome can never become one that may be sent.
      create function svc_guard_claim() returns trigger language plpgsql as $$
      begin
        if old.state in ('succeeded', 'failed_upstream', 'ambiguous')
           or (old.state = 'failed_before_send' and (new.state <> 'claimed' or new.attempt <> old.attempt + 1))
           or (old.state = 'claimed' and new.attempt <> old.attempt)
           or (new.tenant_id, new.session_id, new.call_id, new.tool_call_id, new.tool, new.input_digest)
              is distinct from (old.tenant_id, old.session_id, old.call_id, old.tool_call_id, old.tool, old.input_digest) then
          raise exception 'claim % cannot move from % to %', old.id, old.state, new.state
            using errcode = 'insufficient_privilege';
        end if;
        return new;
      end $$;
      create trigger guard_claim before update on tool_execution_claims for each row execute function svc_guard_claim();`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
