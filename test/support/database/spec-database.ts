import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Specs of several workers meet here; the first one makes the template. */
const TEMPLATE_LOCK = 51_904;

/** SQLSTATE of a connection that an administrator ended. */
const ADMIN_SHUTDOWN = '57P01';

/** A fresh database of one spec file, copied from a template. */
export interface SpecDatabase {
  name: string;
  /** As the owner, who may do everything that the server allows an administrator. */
  ownerUrl: string;
  owner: pg.Pool;
  drop: () => Promise<void>;
}

/**
 * @param template name of the database that is copied; made once for the whole run
 * @param migrate brings the template, whose address it gets, to its schema
 */
export async function createSpecDatabase(
  template: string,
  migrate: (url: string) => Promise<unknown>,
): Promise<SpecDatabase> {
  const server = process.env['TEST_DATABASE_URL'];
  if (server === undefined) throw new Error('TEST_DATABASE_URL is not set: run an integration project of jest');
  const name = `spec_${randomBytes(6).toString('hex')}`;
  await asAdministrator(server, async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    await ensureTemplate(client, server, template, migrate);
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  });
  const ownerUrl = withDatabase(server, name);
  const owner = new pg.Pool({ connectionString: ownerUrl, max: 4 });
  // Idle connections are ended by specs that take the database down, and by the drop below before their sockets are closed.
  owner.on('error', (error: Error & { code?: string }) => {
    if (error.code !== ADMIN_SHUTDOWN) throw error;
  });
  return {
    name,
    ownerUrl,
    owner,
    drop: async () => {
      await owner.end();
      await asAdministrator(server, (client) => client.query(`drop database ${name} with (force)`));
    },
  };
}

async function ensureTemplate(
  client: pg.Client,
  server: string,
  template: string,
  migrate: (url: string) => Promise<unknown>,
): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1 and datistemplate', [template]);
  if (rowCount === 1) return;
  await client.query(`drop database if exists ${template}`);
  await client.query(`create database ${template}`);
  await migrate(withDatabase(server, template));
  await client.query(`alter database ${template} is_template true`);
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
