import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization, makeInsertOnly } from './row-isolation.js';

/** Versions of capability bundles: insert-only, so that a pin never floats (chapter 30 §10.1). */
export class CreateCapabilityBundles1700000000050 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table capability_bundles (
        id uuid primary key,
        tenant_id uuid not null references organizations (id),
        name text not null,
        version int not null check (version > 0),
        description text,
        definition jsonb not null,
        definition_digest text not null,
        created_at timestamptz not null default now(),
        unique (tenant_id, name, version),
        unique (tenant_id, id)
      );
      ${isolateByOrganization('capability_bundles', { app: 'select, insert' })}
      ${makeInsertOnly('capability_bundles')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
