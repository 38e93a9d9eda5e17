import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/**
 * What providers reported, what is held against the budget meanwhile, and the tool uses that the gateway saw
 * (06-gate §7, 04-sandbox §1). Ids and names of tool uses only, never content.
 */
export class CreateUsage1700000000010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table usage_entries (
        id uuid primary key,
        tenant_id uuid not null,
        session_id uuid not null,
        external_id uuid not null unique,
        model text not null,
        input_tokens bigint not null check (input_tokens >= 0),
        output_tokens bigint not null check (output_tokens >= 0),
        cache_read_tokens bigint not null default 0 check (cache_read_tokens >= 0),
        cache_write_tokens bigint not null default 0 check (cache_write_tokens >= 0),
        cost_micros bigint check (cost_micros >= 0),
        source text not null,
        created_at timestamptz not null default now()
      );
      create index usage_entries_session on usage_entries (session_id);
      ${isolateByOrganization('usage_entries', { app: 'select, insert' })}

      create table llm_reservations (
        id uuid primary key,
        tenant_id uuid not null,
        session_id uuid not null,
        state text not null check (state in ('reserved', 'charged', 'released', 'unreported')),
        input_tokens bigint not null check (input_tokens >= 0),
        output_tokens bigint not null check (output_tokens >= 0),
        cost_micros bigint check (cost_micros >= 0),
        process_id uuid not null,
        expires_at timestamptz not null,
        created_at timestamptz not null default now(),
        settled_at timestamptz
      );
      create index llm_reservations_live on llm_reservations (session_id) where state = 'reserved';
      create index llm_reservations_unreported on llm_reservations (session_id) where state = 'unreported';
      create index llm_reservations_process on llm_reservations (process_id) where state = 'reserved';
      ${isolateByOrganization('llm_reservations', { app: 'select, insert, update', system: 'select' })}

      create table llm_tool_uses (
        tenant_id uuid not null,
        session_id uuid not null,
        tool_use_id text not null,
        tool text not null,
        rejected boolean not null default false,
        created_at timestamptz not null default now(),
        primary key (session_id, tool_use_id)
      );
      ${isolateByOrganization('llm_tool_uses', { app: 'select, insert, update' })}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
