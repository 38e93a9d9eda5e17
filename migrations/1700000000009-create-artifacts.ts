import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

export class CreateArtifacts1700000000009 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table artifacts (
        id uuid primary key,
        tenant_id uuid not null,
        session_id uuid not null,
        kind text not null check (kind in ('diff', 'summary', 'log')),
        name text not null,
        content bytea not null,
        content_type text not null,
        size_bytes bigint not null,
        digest text not null,
        truncated boolean not null default false,
        created_at timestamptz not null default now(),
        unique (session_id, kind, name),
        foreign key (tenant_id, session_id) references sessions (tenant_id, id)
      );
      ${isolateByOrganization('artifacts', { app: 'select, insert, update, delete' })}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
