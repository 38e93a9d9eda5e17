import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deleting a policy asks which agent revisions name it, itself and through the foreign key (chapter 30 §6.3). */
export class IndexRevisionsByPolicy1700000000030 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('create index agent_revisions_policy on agent_revisions (tenant_id, policy_id)');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
