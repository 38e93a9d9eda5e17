import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/**
 * The tier of the outbound limits that all processes share (chapter 40 §12): counts of the current minute, and the breaker of each
 * connection and host. Hosts rest as digests only.
 */
export class CreateEgressLimits1700000000111 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table egress_rate_windows (
        tenant_id uuid not null references organizations (id) on delete cascade,
        scope text not null check (scope in ('tenant', 'user', 'connection', 'host')),
        key text not null check (length(key) <= 64),
        window_start timestamptz not null,
        used int not null,
        primary key (tenant_id, scope, key)
      );
      ${isolateByOrganization('egress_rate_windows', { app: 'select, insert, update, delete' })}

      create table egress_breakers (
        tenant_id uuid not null references organizations (id) on delete cascade,
        connection_id uuid not null,
        host_digest text not null check (length(host_digest) <= 64),
        failures int not null,
        -- Null while it is closed.
        opened_at timestamptz,
        -- Since when one call tries whether the host is well again.
        probing_since timestamptz,
        updated_at timestamptz not null default clock_timestamp(),
        primary key (tenant_id, connection_id, host_digest)
      );
      ${isolateByOrganization('egress_breakers', { app: 'select, insert, update, delete' })}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
