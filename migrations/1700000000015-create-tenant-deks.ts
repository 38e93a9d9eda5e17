import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/** Data keys of organizations, wrapped by the key-encryption key (chapter 40 §9.4). */
export class CreateTenantDeks1700000000015 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table tenant_deks (
        tenant_id uuid not null,
        version int not null check (version > 0),
        kek_id text not null,
        wrapped_dek bytea not null,
        created_at timestamptz not null default now(),
        retired_at timestamptz,
        primary key (tenant_id, version)
      );
      ${isolateByOrganization('tenant_deks', { app: 'select, insert', system: 'select' })}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
