import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The trace in which a run was created, so that every process can add its steps to it: ids and a flag, nothing of the caller's. */
export class RememberTraces1700000000086 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table sessions add column traceparent text
        constraint sessions_traceparent check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
