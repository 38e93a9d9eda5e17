import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/**
 * People and what they may do in their organization (chapter 60 §7). A user belongs to one organization; the same human in two is
 * two users. Who they are at an identity provider stays null for a user that no provider vouched for.
 */
export class CreateUsers1700000000090 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table users (
        id uuid primary key,
        tenant_id uuid not null references organizations (id),
        idp_config_id uuid,
        subject text,
        email text,
        email_normalized text,
        email_verified boolean not null default false,
        name text,
        status text not null default 'active' check (status in ('active', 'deactivated')),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        last_login_at timestamptz,
        check ((idp_config_id is null) = (subject is null)),
        unique (tenant_id, id),
        unique (tenant_id, idp_config_id, subject)
      );
      ${isolateByOrganization('users', { app: 'select, insert, update' })}

      create table org_memberships (
        id uuid primary key,
        tenant_id uuid not null references organizations (id),
        user_id uuid not null,
        roles text[] not null default '{member}'
          check (roles <@ array['member', 'approver', 'admin', 'owner'] and cardinality(roles) > 0),
        status text not null default 'active' check (status in ('active', 'deactivated')),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        deactivated_at timestamptz,
        unique (tenant_id, id),
        unique (tenant_id, user_id),
        foreign key (tenant_id, user_id) references users (tenant_id, id)
      );
      ${isolateByOrganization('org_memberships', { app: 'select, insert, update' })}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
