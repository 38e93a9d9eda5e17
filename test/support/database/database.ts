import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { Database } from '../../../src/core/record/database.js';
import { migrate } from '../../../src/platform/postgres/migrate.js';
import type { PostgresOptions } from '../../../src/platform/postgres/postgres.js';

const TEMPLATE = 'sandgate_template';
/** Specs of several workers meet here; the first one makes the template. */
const TEMPLATE_LOCK = 51_904;

/** SQLSTATE of a connection that an administrator ended. */
const ADMIN_SHUTDOWN = '57P01';

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
  const server = process.env['TEST_DATABASE_URL'];
  if (server === undefined) throw new Error('TEST_DATABASE_URL is not set: run the integration project of jest');
  const name = `spec_${randomBytes(6).toString('hex')}`;
  await asAdministrator(server, async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    await ensureTemplate(client, server);
    await client.query(`create database ${name} template ${TEMPLATE}`);
  });
  const ownerUrl = withDatabase(server, name);
  const owner = new pg.Pool({ connectionString: ownerUrl, max: 4 });
  // Idle connections are ended by specs that take the database down, and by the drop below before their sockets are closed.
  owner.on('error', (error: Error & { code?: string }) => {
    if (error.code !== ADMIN_SHUTDOWN) throw error;
  });
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
      await owner.end();
      await asAdministrator(server, (client) => client.query(`drop database ${name} with (force)`));
    },
  };
}

async function ensureTemplate(client: pg.Client, server: string): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1 and datistemplate', [TEMPLATE]);
  if (rowCount === 1) return;
  await client.query(`drop database if exists ${TEMPLATE}`);
  await client.query(`create database ${TEMPLATE}`);
  await migrate(withDatabase(server, TEMPLATE));
  await client.query(`alter database ${TEMPLATE} is_template true`);
}

async function asAdministrator(server: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function withDatabase(server: string, name: string): string {
  return server.replace(/\/postgres\?/, `/${name}?`);
}
