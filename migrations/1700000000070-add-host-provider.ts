import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which sandbox provider a host chose; readiness names it (chapter 10 §16). */
export class AddHostProvider1700000000070 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table hosts add column provider text not null default 'bubblewrap'`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
