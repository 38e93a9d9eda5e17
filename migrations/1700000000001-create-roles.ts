import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Roles are cluster-wide, so another database of the same server may have made them already, also at this very moment.
 * The migrating login is made a member of both: the runtime then enters `sandgate_app`, and functions can be given to
 * `sandgate_system`.
 */
export class CreateRoles1700000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const role of ['sandgate_app', 'sandgate_system']) {
      await queryRunner.query(`
        do $$
        begin
          if not exists (select 1 from pg_roles where rolname = '${role}') then
            create role ${role} nologin nosuperuser nocreatedb nocreaterole nobypassrls;
          end if;
        exception when duplicate_object or unique_violation then
          raise notice 'role ${role} was created meanwhile';
        end $$;
        do $$
        begin
          if not pg_has_role(current_user, '${role}', 'set') then
            execute format('grant ${role} to %I', current_user);
          end if;
        end $$;`);
    }
    await queryRunner.query(`
      revoke create on schema public from public;
      grant usage on schema public to sandgate_app, sandgate_system;

      create function svc_refuse_change() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only: % refused', tg_table_name, lower(tg_op) using errcode = 'insufficient_privilege';
      end $$;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
