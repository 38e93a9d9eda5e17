import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization, ownBySystem } from './row-isolation.js';

/** Sessions that processes opened at MCP servers for a run, so that whoever ends the run can close them (chapter 40 §6). */
export class CreateUpstreamSessions1700000000102 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table mcp_upstream_sessions (
        tenant_id uuid not null,
        session_id uuid not null,
        peer_kind text not null check (peer_kind = 'binding'),
        peer_id uuid not null,
        replica uuid not null,
        upstream_session_id text not null,
        endpoint_url text not null,
        protocol_version text not null,
        opened_at timestamptz not null default clock_timestamp(),
        deleted_at timestamptz,
        delete_outcome text check (delete_outcome in ('deleted', 'swept')),
        primary key (session_id, peer_kind, peer_id, replica),
        foreign key (tenant_id, session_id) references sessions (tenant_id, id),
        check ((deleted_at is null) = (delete_outcome is null))
      );
      create index mcp_upstream_sessions_live on mcp_upstream_sessions (opened_at) where deleted_at is null;
      ${isolateByOrganization('mcp_upstream_sessions', { app: 'select, insert, update', system: 'select, update' })}

      -- Gives up what is still open so long after its run has ended: no request is sent for it any more.
      create function svc_sweep_upstream_sessions(p_after_secs float8, p_limit int) returns int
      language sql security definer set search_path = pg_catalog, public, pg_temp as $$
        with old as (
          select u.ctid from mcp_upstream_sessions u join sessions s on s.id = u.session_id
            where u.deleted_at is null and s.finished_at <= clock_timestamp() - make_interval(secs => p_after_secs)
            order by u.opened_at limit p_limit for update of u skip locked
        ), swept as (
          update mcp_upstream_sessions u set deleted_at = clock_timestamp(), delete_outcome = 'swept'
            from old where u.ctid = old.ctid returning 1
        )
        select count(*)::int from swept
      $$;
      ${ownBySystem('svc_sweep_upstream_sessions(float8, int)')}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
