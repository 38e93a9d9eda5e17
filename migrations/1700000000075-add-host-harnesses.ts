import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which harnesses a host can run, as it says of itself with every report, and which one a run needs: placing has both at hand
 * without reading the whole specification. A host of an earlier version has those that are part of it.
 */
export class AddHostHarnesses1700000000075 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table hosts add column harnesses text[] not null default '{builtin,replay}';
      alter table sessions add column harness text generated always as (run_spec ->> 'harness') stored;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
