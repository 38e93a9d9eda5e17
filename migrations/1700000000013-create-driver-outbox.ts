import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/** Wake-ups for workflows, written in the transaction that causes them, so that none is lost (00-design §2). */
export class CreateDriverOutbox1700000000013 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table driver_outbox (
        id bigint generated always as identity primary key,
        tenant_id uuid not null,
        session_id uuid not null,
        kind text not null check (kind in ('created', 'intent', 'approval_requested', 'approval_decided', 'capacity')),
        created_at timestamptz not null default clock_timestamp()
      ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
      ${isolateByOrganization('driver_outbox', { app: 'select, insert, delete', system: 'select, insert, delete' })}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
