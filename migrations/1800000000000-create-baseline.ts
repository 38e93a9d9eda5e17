import type { MigrationInterface, QueryRunner } from 'typeorm';
import { TRIGGER_FUNCTIONS } from './function-files.js';
import { readSql } from './sql-files.js';

/**
 * What the baseline runs, in this order: roles, the functions that tables call, tables (each after those that it refers to), and
 * seeds. All other functions are made after the last migration, because they may name what a later one adds.
 */
const FILES = [
  'roles.sql',
  TRIGGER_FUNCTIONS,
  'tables/deployment.sql',
  'tables/organizations.sql',
  'tables/users.sql',
  'tables/policies.sql',
  'tables/agents.sql',
  'tables/runs.sql',
  'tables/ledger.sql',
  'tables/approvals.sql',
  'tables/budgets.sql',
  'tables/capacity.sql',
  'tables/outbox.sql',
  'tables/connections.sql',
  'tables/catalog.sql',
  'tables/oauth.sql',
  'tables/broker.sql',
  'tables/egress.sql',
  'tables/network.sql',
  'tables/setup.sql',
  'tables/subscriptions.sql',
  'tables/ingress.sql',
  'tables/deliveries.sql',
  'tables/identity.sql',
  'seeds/capacity.sql',
  'seeds/connectors.sql',
];

export class CreateBaseline1800000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const file of FILES) await queryRunner.query(readSql(file));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
