import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/**
 * Runs (sessions on the wire), the narrow head row that every ledger append locks, and the finalization intent
 * (chapter 10 §2, §4, §7). The status has no check constraint: a newer deployment may write one that this build does not
 * know, and a terminal status is final whoever writes.
 */
export class CreateSessions1700000000005 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table sessions (
        id uuid primary key,
        tenant_id uuid not null references organizations (id),
        agent_id uuid not null,
        agent_revision_id uuid not null,
        status text not null default 'created',
        status_reason text,
        autonomy text not null check (autonomy in ('supervised', 'autonomous')),
        trust_tier text not null default 'trusted' check (trust_tier in ('trusted', 'read_only')),
        task text not null,
        labels jsonb not null default '{}',
        repo_source jsonb not null,
        run_spec jsonb not null,
        run_spec_digest text not null,
        trigger jsonb,
        sandbox_handle jsonb,
        budgets jsonb not null default '{}',
        base_commit text,
        result_summary text,
        host_id uuid,
        launch_attempts int not null default 0,
        capacity_held boolean not null default false,
        queued_at timestamptz,
        admitted_at timestamptz,
        started_at timestamptz,
        finished_at timestamptz,
        invoked_by_kind text not null default 'operator',
        invoked_by_user_id uuid,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        unique (tenant_id, id),
        foreign key (tenant_id, agent_id) references agents (tenant_id, id),
        foreign key (tenant_id, agent_revision_id) references agent_revisions (tenant_id, id)
      );
      create index sessions_newest on sessions (tenant_id, created_at desc, id desc);
      create index sessions_labels on sessions using gin (labels jsonb_path_ops);
      create index sessions_waiting on sessions (tenant_id, queued_at, id) where status = 'queued';
      create index sessions_unfinished on sessions (id)
        where status not in ('completed', 'failed', 'cancelled', 'budget_exceeded');
      create index sessions_holding on sessions (tenant_id) where capacity_held;
      ${isolateByOrganization('sessions', { app: 'select, insert, update', system: 'select, update' })}

      create function svc_is_terminal(p_status text) returns boolean language sql immutable parallel safe as
        $$ select p_status in ('completed', 'failed', 'cancelled', 'budget_exceeded') $$;
      create function svc_accepts_work(p_status text) returns boolean language sql immutable parallel safe as
        $$ select p_status in ('created', 'provisioning', 'initializing', 'running', 'awaiting_approval') $$;

      create function svc_guard_session() returns trigger language plpgsql as $$
      begin
        if (new.id, new.tenant_id, new.agent_id, new.agent_revision_id, new.run_spec, new.run_spec_digest, new.task)
           is distinct from
           (old.id, old.tenant_id, old.agent_id, old.agent_revision_id, old.run_spec, old.run_spec_digest, old.task) then
          raise exception 'the frozen specification of a run cannot change' using errcode = 'insufficient_privilege';
        end if;
        if svc_is_terminal(old.status) and new.status is distinct from old.status then
          raise exception 'run % is already %', old.id, old.status using errcode = 'insufficient_privilege';
        end if;
        return new;
      end $$;
      create trigger guard_session before update on sessions for each row execute function svc_guard_session();

      create table session_heads (
        session_id uuid primary key,
        tenant_id uuid not null,
        seq bigint not null default 0,
        head_hash bytea not null default decode(repeat('00', 32), 'hex'),
        last_heartbeat_at timestamptz,
        tool_calls int not null default 0,
        ledger_bytes bigint not null default 0,
        runner_events int not null default 0,
        spent_tokens bigint not null default 0,
        spent_cost_micros bigint not null default 0,
        foreign key (tenant_id, session_id) references sessions (tenant_id, id)
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
      ${isolateByOrganization('session_heads', { app: 'select, insert, update', system: 'select, update' })}

      create table session_finalizations (
        session_id uuid primary key,
        tenant_id uuid not null,
        outcome text not null check (outcome in ('completed', 'failed', 'cancelled', 'budget_exceeded')),
        posted_outcome text not null,
        summary text,
        reason text,
        needs_quiesce boolean not null,
        quiesce_deadline timestamptz,
        claimed_at timestamptz,
        attempts int not null default 0,
        created_at timestamptz not null default now(),
        foreign key (tenant_id, session_id) references sessions (tenant_id, id)
      );
      ${isolateByOrganization('session_finalizations', { app: 'select, insert, update, delete', system: 'select' })}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
