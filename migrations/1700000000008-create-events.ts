import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization, makeInsertOnly } from './row-isolation.js';

/** The hash-chained, append-only timeline of each run and its signed heads (00-design §4, chapter 10 §13). */
export class CreateEvents1700000000008 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table events (
        tenant_id uuid not null,
        session_id uuid not null,
        seq bigint not null check (seq > 0),
        event_id uuid not null,
        actor text not null check (actor in ('agent', 'system', 'human', 'harness')),
        type text not null,
        schema_version int not null default 1,
        payload jsonb not null,
        body_digest bytea not null check (octet_length(body_digest) = 32),
        hash bytea not null check (octet_length(hash) = 32),
        occurred_at timestamptz not null,
        recorded_at timestamptz not null default clock_timestamp(),
        primary key (session_id, seq)
      );
      ${isolateByOrganization('events', { app: 'select, insert' })}
      ${makeInsertOnly('events')}

      create table ledger_heads (
        tenant_id uuid not null,
        session_id uuid not null,
        seq bigint not null,
        hash bytea not null check (octet_length(hash) = 32),
        signature bytea not null check (octet_length(signature) = 64),
        key_id text not null,
        signed_at timestamptz not null,
        primary key (session_id, seq)
      );
      ${isolateByOrganization('ledger_heads', { app: 'select, insert' })}
      ${makeInsertOnly('ledger_heads')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
