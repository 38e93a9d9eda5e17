import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/** Policy identities and their insert-only versions (chapter 30 §6.1). Deleting the identity is the one way to erase versions. */
export class CreatePolicies1700000000003 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table policies (
        id uuid primary key,
        tenant_id uuid not null references organizations (id),
        name text not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        unique (tenant_id, name),
        unique (tenant_id, id)
      );
      ${isolateByOrganization('policies', { app: 'select, insert, update, delete' })}

      create table policy_versions (
        id uuid primary key,
        tenant_id uuid not null,
        policy_id uuid not null,
        version int not null check (version > 0),
        content jsonb not null,
        yaml_source text,
        summary text,
        author text not null check (author in ('seed', 'api', 'ui', 'import')),
        author_user_id uuid,
        created_at timestamptz not null default now(),
        unique (policy_id, version),
        foreign key (tenant_id, policy_id) references policies (tenant_id, id) on delete cascade
      );
      ${isolateByOrganization('policy_versions', { app: 'select, insert' })}

      create function svc_refuse_version_change() returns trigger language plpgsql as $$
      begin
        -- Inside the cascade from the identity the depth is 2; a statement of a client runs at depth 1.
        if tg_op = 'DELETE' and pg_trigger_depth() > 1 then return null; end if;
        raise exception 'policy_versions is append-only: % refused', lower(tg_op) using errcode = 'insufficient_privilege';
      end $$;
      create trigger refuse_change before update or delete or truncate on policy_versions
        for each statement execute function svc_refuse_version_change();`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
