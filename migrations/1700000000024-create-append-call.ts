import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The append as a statement of its own, for writers that have nothing else to put into a transaction. */
export class CreateAppendCall1700000000024 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create function svc_append_alone(p_tenant uuid, p_session uuid, p_bodies text[], p_digests text[])
      returns bigint language plpgsql as $$
      begin
        perform set_config('svc.tenant', p_tenant::text, true);
        return svc_append(p_session, p_bodies, p_digests);
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
