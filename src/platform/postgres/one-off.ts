import { Client, type ClientBase, type ClientConfig } from 'pg';

/** Has a connection that breaks end its statements alone, of which the one under way or the next one tells, and not the process. */
export function surviveLoss(client: ClientBase): void {
  client.on('error', () => undefined);
}

/** Opens a connection of its own for `work`, and closes it. */
export async function withClient<T>(config: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(config);
  surviveLoss(client);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The version that the server answers with. */
export function readServerVersion(config: ClientConfig): Promise<string | undefined> {
  return withClient(config, async (client) => {
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version;
  });
}

/** PostgreSQL's name for the role that every other one is a member of. */
const EVERYBODY = 'public';

/**
 * Makes a database beside that of the cluster's owner, with an owner of its own who has no power over the rest of the cluster, and lets
 * neither database be entered by those who belong to the other. Both names are ours and so need no quotes.
 */
export function ensureGuest(config: ClientConfig, guest: string, host: string): Promise<void> {
  return withClient(config, async (client) => {
    const role = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [guest]);
    // It makes the roles of its own product, and is a member of those alone.
    if (role.rowCount === 0) await client.query(`CREATE ROLE ${guest} LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS`);
    const database = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [guest]);
    if (database.rowCount === 0) await client.query(`CREATE DATABASE ${guest} OWNER ${guest}`);
    for (const name of [guest, host]) await client.query(`REVOKE CONNECT ON DATABASE ${name} FROM ${EVERYBODY}`);
  });
}

/** Makes the database unless the server has one of this name, which is ours and so needs no quotes. */
export function ensureDatabase(config: ClientConfig, name: string): Promise<void> {
  return withClient(config, async (client) => {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${name}`);
  });
}
