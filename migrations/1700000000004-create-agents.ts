import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization, makeInsertOnly } from './row-isolation.js';

/** Agents and their insert-only revisions (chapter 10 §10). References carry the organization, so none can cross it. */
export class CreateAgents1700000000004 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table agents (
        id uuid primary key,
        tenant_id uuid not null references organizations (id),
        name text not null,
        description text,
        created_at timestamptz not null default now(),
        unique (tenant_id, name),
        unique (tenant_id, id)
      );
      ${isolateByOrganization('agents', { app: 'select, insert' })}

      create table agent_revisions (
        id uuid primary key,
        tenant_id uuid not null,
        agent_id uuid not null,
        rev int not null check (rev > 0),
        harness text not null,
        runner_image text not null default '',
        model text not null,
        system_prompt text,
        policy_id uuid not null,
        budgets jsonb not null default '{}',
        capability_bundles jsonb not null default '[]',
        default_workspace jsonb,
        connection_requirements jsonb not null default '[]',
        network jsonb,
        env jsonb not null default '{}',
        sandbox jsonb,
        created_at timestamptz not null default now(),
        unique (agent_id, rev),
        unique (tenant_id, id),
        foreign key (tenant_id, agent_id) references agents (tenant_id, id),
        foreign key (tenant_id, policy_id) references policies (tenant_id, id)
      );
      ${isolateByOrganization('agent_revisions', { app: 'select, insert' })}
      ${makeInsertOnly('agent_revisions')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
