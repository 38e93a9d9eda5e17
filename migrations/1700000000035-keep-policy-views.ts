import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keeps what policy read of many calls of one organization, in one statement and one round trip (06-gate §8). The commit does
 * not wait for the disk: a view that a crash takes is reported as unknown, and the gate must not queue behind it.
 */
export class KeepPolicyViews1700000000035 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create function svc_keep_policy_views(p_tenant uuid, p_sessions uuid[], p_calls text[], p_sealed bytea[],
        p_key_versions smallint[], p_keep_secs numeric)
      returns int language plpgsql as $$
      declare
        kept int;
      begin
        perform set_config('svc.tenant', p_tenant::text, true), set_config('synchronous_commit', 'off', true);
        insert into tool_call_payloads (tenant_id, session_id, tool_call_id, kind, sealed, key_version, expires_at)
          select p_tenant, v.session_id, v.tool_call_id, 'policy_view', v.sealed, v.key_version,
                 clock_timestamp() + make_interval(secs => p_keep_secs)
          from unnest(p_sessions, p_calls, p_sealed, p_key_versions) as v (session_id, tool_call_id, sealed, key_version)
          on conflict (session_id, tool_call_id, kind) do nothing;
        get diagnostics kept = row_count;
        return kept;
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
