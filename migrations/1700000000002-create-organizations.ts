import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isolateByOrganization } from './row-isolation.js';

export class CreateOrganizations1700000000002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table organizations (
        id uuid primary key,
        slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
        name text not null,
        created_at timestamptz not null default now()
      );
      ${isolateByOrganization('organizations', { column: 'id', app: 'select, insert, update', system: 'select' })}`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
