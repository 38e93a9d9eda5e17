import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What runs claimed their own places with, before one pass admitted them in order. */
export class DropSelfClaims1700000000056 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop function svc_release_capacity(uuid, uuid, int, int);
      drop function svc_next_queued(int, int, int);
      drop function svc_claim_capacity(uuid, uuid, int, int);
      drop function svc_choose_host(int);
      drop index sessions_waiting;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
