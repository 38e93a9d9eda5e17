import type pg from 'pg';
import { Database } from '../../../src/core/record/database.js';
import { migrate } from '../../../src/platform/postgres/migrate.js';
import type { PostgresOptions } from '../../../src/platform/postgres/postgres.js';
import { createSpecDatabase } from './spec-database.js';

const TEMPLATE = 'sandgate_template';

/** A fresh, migrated database of one spec file. */
export interface TestDatabase {
  /** As the owner, who may do everything that the server allows an administrator. */
  ownerUrl: string;
  owner: pg.Pool;
  /** As the runtime role. */
  db: Database;
  /** Another process of the same deployment. */
  connect(options?: Partial<PostgresOptions>): Promise<Database>;
  close(): Promise<void>;
}

export async function createTestDatabase(options: Partial<PostgresOptions> = {}): Promise<TestDatabase> {
  const { name, ownerUrl, owner, drop } = await createSpecDatabase(TEMPLATE, (url) => migrate(url));
  const opened: Database[] = [];
  const connect = async (more: Partial<PostgresOptions> = {}): Promise<Database> => {
    const db = await Database.connect({ url: ownerUrl, poolSize: 16, applicationName: name, ...options, ...more });
    opened.push(db);
    return db;
  };
  return {
    ownerUrl,
    owner,
    db: await connect(),
    connect,
    close: async () => {
      await Promise.all(opened.map((db) => db.close()));
      await drop();
    },
  };
}
