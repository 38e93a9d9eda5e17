/** Writes migrations/schema.sql: what the migrations of dist/ make of an empty database, on a server of its own. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate } from '../dist/src/platform/postgres/migrate.js';
import { describeSchema } from '../test/support/database/describe-schema.ts';
import startServices from '../test/support/database/start-services.ts';
import stopServices from '../test/support/database/stop-services.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await startServices();
try {
  const url = process.env.TEST_DATABASE_URL;
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  writeFileSync(join(root, 'migrations', 'schema.sql'), await describeSchema(client));
  await client.end();
} finally {
  await stopServices();
}
