import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Runs of the revisions that name one policy, newest first: what a draft of that policy is tried against. By the revision, a plain
 * column, because an index over a member of the specification is not used under row-level isolation (its operator may leak).
 */
export class IndexRunsByRevision1700000000036 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('create index sessions_of_revision on sessions (tenant_id, agent_revision_id, id desc)');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
