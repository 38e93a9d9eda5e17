import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether a call whose claim is taken may still be sent is one question, and one that the read of its credential answers along the
 * way (chapter 40 §4 step 8, §7.4).
 */
export class AskStandingAtOnce1700000000119 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create type svc_standing as (accepts boolean, live jsonb);

      -- Whether a run accepts work at this moment, and the live authority of one of its bindings; no row for a run of another
      -- organization.
      create function svc_read_standing(p_tenant uuid, p_session uuid, p_binding uuid) returns setof svc_standing
      language plpgsql as $$
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        return query select svc_accepts_work(s.status) and not h.ending, (select to_jsonb(l) from svc_live_authority(p_binding) l)
          from sessions s join session_heads h on h.session_id = s.id
          where s.id = p_session;
      end $$;

      create type svc_call_credential as (status text, authorization_generation int, auth_kind text, display_name text,
        metadata jsonb, sealed bytea, key_version smallint, accepts boolean, live jsonb);

      -- As svc_read_credential, for one call of a run: with the standing of that run and its binding.
      create function svc_read_call_credential(p_tenant uuid, p_connection uuid, p_generation int, p_session uuid, p_binding uuid)
      returns setof svc_call_credential language plpgsql as $$
      begin
        return query select c.*, s.accepts, s.live
          from svc_read_credential(p_tenant, p_connection, p_generation) c
          left join svc_read_standing(p_tenant, p_session, p_binding) s on true;
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
