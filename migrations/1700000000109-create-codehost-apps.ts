import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/**
 * Registrations of code-host apps: identity and sealed secrets of an app that several installations share (chapter 50 §8). Rows are
 * revoked, never removed.
 */
export class CreateCodehostApps1700000000109 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table github_app_registrations (
        id uuid primary key,
        tenant_id uuid not null references organizations (id),
        status text not null default 'pending' check (status in ('pending', 'active', 'revoked')),
        target_kind text not null check (target_kind in ('personal', 'organization')),
        target_org text,
        app_id text,
        slug text,
        name text,
        client_id text,
        html_url text,
        owner_login text,
        pem_sealed bytea,
        pem_key_version smallint not null default 1 check (pem_key_version in (1, 2)),
        webhook_secret_sealed bytea,
        webhook_secret_key_version smallint not null default 1 check (webhook_secret_key_version in (1, 2)),
        client_secret_sealed bytea,
        client_secret_key_version smallint not null default 1 check (client_secret_key_version in (1, 2)),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        unique (tenant_id, id),
        constraint active_app_is_whole check (status <> 'active' or num_nonnulls(app_id, slug, pem_sealed) = 3)
      );
      ${isolateByOrganization('github_app_registrations', { app: 'select, insert, update', system: 'select' })}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
