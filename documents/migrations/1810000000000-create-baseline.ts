import type { MigrationInterface, QueryRunner } from 'typeorm';
import { TRIGGER_FUNCTIONS } from './function-files.js';
import { readSql } from './sql-files.js';

/**
 * What the baseline runs, in this order: roles, the functions that tables call, and tables, each after those that it refers to. All
 * other functions are made after the last migration, because they may name what a later one adds.
 */
const FILES = [
  'roles.sql',
  TRIGGER_FUNCTIONS,
  'tables/deployment.sql',
  'tables/organizations.sql',
  'tables/access.sql',
  'tables/requests.sql',
  'tables/documents.sql',
  'tables/uploads.sql',
  'tables/pages.sql',
  'tables/search.sql',
  'tables/schemas.sql',
  'tables/extractions.sql',
  'tables/webhooks.sql',
  'tables/driver.sql',
];

export class CreateBaseline1810000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const file of FILES) await queryRunner.query(readSql(file));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
