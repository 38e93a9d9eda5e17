import { Client, type ClientConfig } from 'pg';

/** Opens a connection of its own for `work`, and closes it. */
export async function withClient<T>(config: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(config);
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

/** Makes the database unless the server has one of this name, which is ours and so needs no quotes. */
export function ensureDatabase(config: ClientConfig, name: string): Promise<void> {
  return withClient(config, async (client) => {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${name}`);
  });
}
