import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/** The one place where tool inputs and results rest (06-gate §8). `key_version` 0 is clear text. */
export class CreateToolCallPayloads1700000000007 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table tool_call_payloads (
        tenant_id uuid not null,
        session_id uuid not null,
        tool_call_id text not null,
        kind text not null check (kind in ('input', 'result', 'policy_view')),
        sealed bytea not null,
        key_version smallint not null check (key_version between 0 and 2),
        expires_at timestamptz,
        created_at timestamptz not null default now(),
        primary key (session_id, tool_call_id, kind)
      );
      create index tool_call_payloads_expiry on tool_call_payloads (expires_at) where expires_at is not null;
      ${isolateByOrganization('tool_call_payloads', {
        app: 'select, insert, update, delete',
        system: 'select, delete',
      })}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
