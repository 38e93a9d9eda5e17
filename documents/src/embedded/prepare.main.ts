import { loadConfig, publicUrl, requireSetting } from '../platform/config/index.js';
import { Record } from '../core/record/record.js';
import { migrateDocsvc } from '../platform/postgres/migrate-docsvc.js';
import { ensureNamespace } from '../platform/temporal/ensure-namespace.js';
import { keepFirstClient } from './first-client.js';
import { openDocsvcFolder } from './state-folder.js';

/**
 * What comes before API and worker of a version: the schema, the namespace, and at the first start an organization with its client. A
 * process of its own, so that a supervisor does not carry the database layer for the rest of its life.
 */
const { dir } = loadConfig({ DOCSVC_DATA_DIR: process.env['DOCSVC_DATA_DIR'] }).data;
// Before the rest is read: at the first start the sealing key that it names is made here.
const folder = openDocsvcFolder(dir);
const config = loadConfig(process.env);
const url = requireSetting(config.database.url, 'DOCSVC_DATABASE_URL');
for (const name of await migrateDocsvc(url)) process.stdout.write(`migrated ${name}\n`);
await ensureNamespace(config.temporal);
const record = await Record.connect({ url, poolSize: 2, applicationName: 'docsvc-prepare' }, (error) => {
  throw error;
});
try {
  const { bind } = config.http;
  if (await keepFirstClient(record, folder.firstClient, publicUrl({ publicUrl: null, bind }))) {
    process.stdout.write(`first client ${folder.firstClient}\n`);
  }
} finally {
  await record.close();
}
