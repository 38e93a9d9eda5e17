import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/** Claims of `Idempotency-Key` headers. `result` keeps a small answer (an event's seq), never a body of a client. */
export class CreateIdempotencyKeys1700000000012 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table idempotency_keys (
        tenant_id uuid not null,
        scope text not null,
        key text not null check (length(key) <= 255),
        body_digest text not null,
        session_id uuid,
        result jsonb,
        created_at timestamptz not null default now(),
        primary key (tenant_id, scope, key)
      );
      create index idempotency_keys_age on idempotency_keys (created_at);
      ${isolateByOrganization('idempotency_keys', {
        app: 'select, insert, update, delete',
        system: 'select, delete',
      })}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
