import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization, makeInsertOnly } from './row-isolation.js';

/**
 * Photographs of what a connection's server offers: numbered per connection, append-only, so that a run's frozen tools can point
 * at one for ever (chapter 40 §3).
 */
export class CreateToolSnapshots1700000000092 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table connection_tool_snapshots (
        id uuid primary key,
        tenant_id uuid not null,
        connection_id uuid not null,
        snapshot_version int not null check (snapshot_version >= 1),
        authorization_generation int not null,
        protocol_version text not null,
        tools_json json not null,
        tools_digest text not null check (tools_digest ~ '^sha256:[0-9a-f]{64}$'),
        discovered_at timestamptz not null,
        created_at timestamptz not null default now(),
        unique (tenant_id, connection_id, snapshot_version),
        foreign key (tenant_id, connection_id) references integration_connections (tenant_id, id)
      );
      ${isolateByOrganization('connection_tool_snapshots', { app: 'select, insert' })}
      ${makeInsertOnly('connection_tool_snapshots')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
