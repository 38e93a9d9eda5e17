import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ownBySystem } from './row-isolation.js';

/**
 * The boot asks what is sealed, and how. With a view per tool call the table is large, so at most 1,000 rows of each key version
 * are counted; version 1, which is rare, is found by an index of its own.
 */
export class BoundSealedCount1700000000037 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create index tool_call_payloads_legacy on tool_call_payloads (key_version) where key_version = 1;

      create or replace function svc_sealed_rows() returns table (place text, key_version int, rows bigint)
      language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
        select 'tool_call_payloads.sealed', p.key_version::int, count(*) from (
          (select l.key_version from tool_call_payloads l where l.key_version = 1 limit 1000)
          union all
          (select c.key_version from tool_call_payloads c where c.key_version = 2 limit 1000)
        ) p group by p.key_version
      $$;
      ${ownBySystem('svc_sealed_rows()')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
