import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a revision says of its agent (CP-089). Null says nothing new: the agent is then described as it was registered. */
export class DescribeRevisions1700000000130 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table agent_revisions add column description text');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
