import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A sign of life in one call, which locks nothing but the narrow head row (chapter 20 §7). */
export class CreateHeartbeat1700000000023 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The status of the run; null when the organization has none of that id.
      create function svc_heartbeat(p_tenant uuid, p_session uuid) returns text language plpgsql as $$
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        update session_heads set last_heartbeat_at = clock_timestamp() where session_id = p_session;
        return (select status from sessions where id = p_session);
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
