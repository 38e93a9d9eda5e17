import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs of one policy, newest first: what a draft of that policy is tried against. */
export class IndexRunsByPolicy1700000000036 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create index sessions_of_policy on sessions (tenant_id, (run_spec ->> 'policy_id'), id desc)`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
