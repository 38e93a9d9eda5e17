import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When an approved call was let go. Until then every presentation of it is compared with what its approver saw; afterwards a
 * repetition gets the stored verdict, because the call itself may have changed the files that it names (06-gate §4).
 */
export class MarkReleasedApprovals1700000000045 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table approvals add column released_at timestamptz');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
