import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization, showGlobalRows } from './row-isolation.js';

/**
 * Connector definitions (chapter 40 §11): a row without an organization is global, everybody reads it and no request writes it.
 * Global rows are written by migrations and by the import, as `sandgate_system`. No column takes a credential.
 */
export class CreateConnectorCatalog1700000000095 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table connector_catalog (
        id uuid primary key,
        tenant_id uuid references organizations (id),
        slug text not null check (slug ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
        name text not null,
        icon text,
        description text,
        categories text[] not null default '{}',
        scopes text[] not null default '{}',
        egress text[] not null default '{}',
        tier text not null check (tier in ('verified', 'community', 'custom')),
        url text,
        transport text not null check (transport in ('streamable_http', 'stdio', 'rest_action')),
        auth_mode text not null check (auth_mode in ('none', 'api_key', 'oauth')),
        auth_hints jsonb not null default '{}',
        tool_hints jsonb not null default '[]',
        sandbox_launch jsonb,
        provenance jsonb not null,
        disabled_at timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        check ((tier = 'custom') = (tenant_id is not null))
      );
      create unique index connector_catalog_own_slug on connector_catalog (tenant_id, slug) where tenant_id is not null;
      create unique index connector_catalog_global_slug on connector_catalog (slug) where tenant_id is null;
      ${isolateByOrganization('connector_catalog', { app: 'select, insert, update, delete', system: 'select, insert, update' })}
      ${showGlobalRows('connector_catalog')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
