import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/**
 * The registry of every gated call, which is also the list of approvals: one row per (session, tool_call_id)
 * (chapter 10 §12, chapter 30 §7.2). It has no foreign key to sessions because the gate holds the run's head row when it
 * inserts, and the look-up would cost the hot path a lock per call.
 */
export class CreateApprovals1700000000006 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table approvals (
        id uuid primary key,
        tenant_id uuid not null,
        session_id uuid not null,
        tool_call_id text not null,
        tool text not null,
        summary text not null,
        input_digest text not null,
        risk text,
        scope text check (scope in ('once', 'session')),
        scope_key text,
        scope_keys text[],
        status text not null check (status in ('intent', 'auto_allowed', 'auto_denied', 'pending',
          'approved_once', 'approved_session', 'denied', 'expired')),
        source text,
        original_verdict text,
        reason text,
        explanation jsonb,
        withheld_reason text,
        session_terminal_recorded boolean not null default false,
        requested_at timestamptz not null default now(),
        expires_at timestamptz,
        decided_at timestamptz,
        decided_by text,
        created_at timestamptz not null default now(),
        unique (session_id, tool_call_id)
      );
      create index approvals_inbox on approvals (tenant_id, requested_at, id) where status = 'pending';
      create index approvals_pending on approvals (session_id) where status = 'pending';
      create index approvals_granted on approvals (session_id) where status = 'approved_session';
      create index approvals_deadline on approvals (expires_at) where status = 'pending';
      ${isolateByOrganization('approvals', { app: 'select, insert, update', system: 'select' })}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
