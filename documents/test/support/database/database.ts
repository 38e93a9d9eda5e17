import type pg from 'pg';
import type { PostgresOptions } from '../../../../src/platform/postgres/postgres.js';
import { createSpecDatabase } from '../../../../test/support/database/spec-database.js';
import { Record } from '../../../src/core/record/record.js';
import { migrateDocsvc } from '../../../src/platform/postgres/migrate-docsvc.js';

const TEMPLATE = 'docsvc_template';

/** A fresh, migrated database of one spec file. */
export interface TestDatabase {
  /** As the owner, whom row-level isolation does not bind. */
  ownerUrl: string;
  owner: pg.Pool;
  /** As the runtime role. */
  record: Record;
  /** Another process of the same deployment. */
  connect(options?: Partial<PostgresOptions>): Promise<Record>;
  close(): Promise<void>;
}

/** Steps after a commit that fail end the spec, unless it says what to do with them. */
export async function createTestDatabase(
  onTrouble: (error: unknown) => void = (error) => {
    throw error;
  },
): Promise<TestDatabase> {
  const { name, ownerUrl, owner, drop } = await createSpecDatabase(TEMPLATE, migrateDocsvc);
  const opened: Record[] = [];
  const connect = async (options: Partial<PostgresOptions> = {}): Promise<Record> => {
    const record = await Record.connect({ url: ownerUrl, poolSize: 8, applicationName: name, ...options }, onTrouble);
    opened.push(record);
    return record;
  };
  return {
    ownerUrl,
    owner,
    record: await connect(),
    connect,
    close: async () => {
      await Promise.all(opened.map((record) => record.close()));
      await drop();
    },
  };
}
