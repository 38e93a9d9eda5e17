import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization, makeInsertOnly } from './row-isolation.js';

/** With whose authority each slot of a run acts: inserted with the run, never changed (chapter 40 §7.3). */
export class CreateResourceBindings1700000000097 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table session_resource_bindings (
        id uuid primary key,
        tenant_id uuid not null,
        session_id uuid not null,
        requirement_slot text not null,
        slot_kind text not null check (slot_kind in ('mcp', 'workspace_fetch', 'result_publish')),
        authority_kind text not null check (authority_kind in ('connection', 'subscription_secret', 'none')),
        connection_id uuid,
        subscription_id uuid,
        authority_generation int,
        connection_owner_type text check (connection_owner_type in ('organization', 'user')),
        connection_owner_user_id uuid,
        snapshot_version int,
        effective_tools_json jsonb,
        effective_tools_digest text,
        resource_scope jsonb not null default '{}',
        resolved_by_principal_kind text not null
          check (resolved_by_principal_kind in ('user', 'operator', 'trigger', 'schedule', 'webhook', 'system')),
        resolved_by_principal_id uuid,
        binding_mode text not null check (binding_mode in ('invoking_user', 'organization', 'explicit')),
        created_at timestamptz not null default now(),
        unique (tenant_id, session_id, slot_kind, requirement_slot),
        unique (tenant_id, id),
        foreign key (tenant_id, session_id) references sessions (tenant_id, id),
        constraint authority_is_whole check (case authority_kind
          when 'connection' then
            connection_id is not null and authority_generation is not null and connection_owner_type is not null
            and subscription_id is null
            and (connection_owner_user_id is not null) = (connection_owner_type = 'user')
          when 'subscription_secret' then
            subscription_id is not null and authority_generation is not null
            and num_nonnulls(connection_id, connection_owner_type, connection_owner_user_id) = 0
          else
            num_nonnulls(connection_id, subscription_id, authority_generation, connection_owner_type,
              connection_owner_user_id) = 0
          end),
        constraint surface_of_mcp_alone check (
          num_nonnulls(snapshot_version, effective_tools_json, effective_tools_digest)
            = case slot_kind when 'mcp' then 3 else 0 end),
        constraint mcp_has_a_connection check (slot_kind <> 'mcp' or authority_kind = 'connection')
      );
      create index session_resource_bindings_of_connection on session_resource_bindings (connection_id)
        where connection_id is not null;
      ${isolateByOrganization('session_resource_bindings', { app: 'select, insert' })}
      ${makeInsertOnly('session_resource_bindings')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
