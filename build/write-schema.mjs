/** Writes schema.sql of both products: what the migrations of dist/ make of an empty database, on a server of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrateDocsvc } from '../dist/documents/src/platform/postgres/migrate-docsvc.js';
import { migrate } from '../dist/src/platform/postgres/migrate.js';
import { describeSchema } from '../test/support/database/describe-schema.ts';
import startServices from '../test/support/database/start-services.ts';
import stopServices from '../test/support/database/stop-services.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const SCHEMAS = [
  { database: 'sandgate', run: migrate, folder: 'migrations' },
  { database: 'docsvc', run: migrateDocsvc, folder: 'documents/migrations' },
];

await startServices();
try {
  for (const schema of SCHEMAS) await write(schema);
} finally {
  await stopServices();
}

async function write({ database, run, folder }) {
  const server = process.env.TEST_DATABASE_URL;
  await withClient(server, (client) => client.query(`create database ${database}`));
  const url = server.replace('/postgres?', `/${database}?`);
  await run(url);
  await withClient(url, async (client) =>
    writeFileSync(join(root, folder, 'schema.sql'), await describeSchema(client)),
  );
}

async function withClient(connectionString, work) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
