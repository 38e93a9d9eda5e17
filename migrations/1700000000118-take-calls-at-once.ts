import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Reading a call, asking whether its authority still stands, and claiming it are one round trip wherever the authority is what the
 * caller has judged before (chapter 40 §4 steps 5 and 6, §7.4).
 */
export class TakeCallsAtOnce1700000000118 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create type svc_taken_call as (tool_call_id text, tool text, input_digest text, sealed bytea, key_version smallint,
        binding_id uuid, live jsonb, outcome text, claim_id uuid);

      -- As svc_read_call, and claims the call as svc_claim_call does if the live authority of its slot is, to the letter, the one
      -- that p_known has under the id of its binding. Outcome null: it is not, and nothing was claimed. Each row is looked up by
      -- its key.
      create function svc_take_call(p_tenant uuid, p_session uuid, p_call_id uuid, p_known jsonb, p_id uuid, p_attempt int,
        p_ttl_secs float8) returns setof svc_taken_call language plpgsql as $$
      declare
        taken svc_taken_call;
        asked approvals;
        claim svc_claim_answer;
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        select * into asked from approvals where id = p_call_id and session_id = p_session;
        if asked.id is null or not svc_is_let_go(asked) then return; end if;
        taken.tool_call_id := asked.tool_call_id;
        taken.tool := asked.tool;
        taken.input_digest := asked.input_digest;
        select sealed, key_version into taken.sealed, taken.key_version from tool_call_payloads
          where session_id = p_session and tool_call_id = asked.tool_call_id and kind = 'input';
        if not found then return; end if;
        select id into taken.binding_id from session_resource_bindings
          where tenant_id = p_tenant and session_id = p_session and slot_kind = 'mcp'
            and requirement_slot = split_part(substr(asked.tool, 6), '__', 1);
        if taken.binding_id is not null then
          select to_jsonb(l) into taken.live from svc_live_authority(taken.binding_id) l;
          if taken.live = p_known -> taken.binding_id::text then
            claim := svc_claim_call(p_tenant, p_session, p_call_id, p_id, p_attempt, p_ttl_secs);
            taken.outcome := claim.outcome;
            taken.claim_id := claim.claim_id;
          end if;
        end if;
        return next taken;
      end $$;

      drop function svc_read_call(uuid, uuid, uuid);
      drop type svc_brokered_call;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
