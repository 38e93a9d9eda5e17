import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Deployment-wide infrastructure: no organization owns a host, a uid or a process, so these tables have no row-level
 * isolation and hold ids and numbers only.
 */
export class CreateHosts1700000000014 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table hosts (
        id uuid primary key,
        name text not null,
        capacity int not null,
        last_seen_at timestamptz not null default now()
      );
      create table sandbox_uids (
        uid int not null,
        host_id uuid not null,
        session_id uuid not null,
        claimed_at timestamptz not null default now(),
        primary key (host_id, uid),
        unique (session_id)
      );
      create table process_leases (
        id uuid primary key,
        kind text not null,
        host_id uuid,
        lease_expires_at timestamptz not null
      );
      grant select, insert, update, delete on hosts, sandbox_uids, process_leases to sandgate_app;
      grant select, delete on process_leases to sandgate_system;
      grant select on hosts to sandgate_system;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
