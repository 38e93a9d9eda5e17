import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whoever decides is shown other calls of the run that a grant would cover; most calls of a run were never a question. */
export class IndexAskedCalls1700000000131 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create index approvals_asked on approvals (session_id) where scope_keys is not null;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
