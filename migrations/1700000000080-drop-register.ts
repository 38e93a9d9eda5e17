import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A call is registered with its verdict, in one function call; registering it before had no caller. */
export class DropRegister1700000000080 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop function svc_register(text, uuid, uuid, text, uuid, text, text, text, text, text[], text[])`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
