import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

/** Bearer tokens by digest; the plain text is never stored (chapter 20 §2). */
export class CreateApiTokens1700000000011 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table api_tokens (
        id uuid primary key,
        tenant_id uuid not null,
        kind text not null default 'session' check (kind = 'session'),
        session_id uuid not null,
        audience text not null check (audience in ('tool', 'control', 'workspace', 'llm')),
        token_sha256 text not null unique check (token_sha256 ~ '^[0-9a-f]{64}$'),
        expires_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz not null default now(),
        foreign key (tenant_id, session_id) references sessions (tenant_id, id)
      );
      create index api_tokens_session on api_tokens (session_id);
      ${isolateByOrganization('api_tokens', { app: 'select, insert, update', system: 'select' })}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
