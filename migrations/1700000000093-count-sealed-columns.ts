import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ownBySystem } from './row-isolation.js';

/**
 * The boot's count of what is sealed (chapter 40 §9.4) over every sealed column that exists: a bytea column whose name ends in
 * `sealed`, beside its companion that ends in `key_version`. A table that gains one needs no change here, only the select right
 * of the system role, without which the count fails and the boot stops. At most 1,000 rows of a version are counted per column.
 */
export class CountSealedColumns1700000000093 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create function svc_sealed_columns() returns table (table_name text, sealed text, key_version text)
      language sql stable set search_path = pg_catalog, public, pg_temp as $$
        select c.relname::text, s.attname::text, v.attname::text
          from pg_class c
          join pg_attribute s on s.attrelid = c.oid and s.atttypid = 'bytea'::regtype and s.attname ~ '(^|_)sealed$'
                             and not s.attisdropped
          join pg_attribute v on v.attrelid = c.oid and not v.attisdropped
                             and v.attname = regexp_replace(s.attname, 'sealed$', 'key_version')
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
         order by 1, 2
      $$;
      revoke all on function svc_sealed_columns() from public;
      grant execute on function svc_sealed_columns() to sandgate_app, sandgate_system;

      create or replace function svc_sealed_rows() returns table (place text, key_version int, rows bigint)
      language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        col record;
        version int;
      begin
        for col in select * from svc_sealed_columns() loop
          for version in 1..2 loop
            return query execute format(
              'select %L, %s, count(*) from (select from %I where %I = %s and %I is not null limit 1000) counted having count(*) > 0',
              col.table_name || '.' || col.sealed, version, col.table_name, col.key_version, version, col.sealed);
          end loop;
        end loop;
      end $$;
      ${ownBySystem('svc_sealed_rows()')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
