import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { OrphanGuard } from '../../../dist/src/embedded/orphan-guard.js';
import { EmbeddedPostgres } from '../../../dist/src/embedded/postgres.js';
import { migrateDatabase } from '../../../dist/src/embedded/service-parts.js';
import { openStateFolder } from '../../../dist/src/embedded/state-folder.js';
import { SupervisedProcess } from '../../../dist/src/embedded/supervised-process.js';
import { OrdinaryUser } from '../../../dist/src/embedded/user-namespace.js';
import { stageRuntime } from '../../../dist/src/platform/sandbox/runtime.js';
import { scratchFolder } from '../database/start-services.ts';

const STOP_MS = 20_000;
const RUNNER = fileURLToPath(new URL('../../../dist/runner/main.mjs', import.meta.url));

/**
 * Makes one cluster with the current schema and one runtime, of which each stack of the end-to-end project takes copies
 * (live-stack.ts). That an installation makes its own is tested in test/e2e/embedded. TEST_PREPARED_CLUSTER and TEST_PREPARED_RUNTIME
 * tell the suites their folders, TEST_STACKS the one for the state of stacks; all live as long as jest.
 */
export default async function prepareCluster() {
  const dir = mkdtempSync(join(scratchFolder(), 'sg-e2e-'));
  removeAtTheEnd(dir);
  const folder = openStateFolder(dir);
  const guard = new OrphanGuard();
  const postgres = new EmbeddedPostgres(folder, new OrdinaryUser(folder.postgresSocketDir));
  const server = new SupervisedProcess(postgres.part({ logs: folder.logs, guard, notify: () => undefined }));
  try {
    await postgres.initialize();
    await server.start();
    await migrateDatabase({ ...process.env, DATABASE_URL: postgres.url });
  } finally {
    await server.stop(STOP_MS);
    guard.dismiss();
  }
  await stageRuntime(dir, { runnerBundle: RUNNER });
  process.env.TEST_PREPARED_CLUSTER = folder.postgresData;
  process.env.TEST_PREPARED_RUNTIME = join(dir, 'runtime');
  process.env.TEST_STACKS = join(dir, 'stacks');
  mkdirSync(process.env.TEST_STACKS);
}

/** Also where jest is interrupted, which then ends as it would have. */
function removeAtTheEnd(dir) {
  const remove = () => rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      remove();
      process.kill(process.pid, signal);
    });
  }
}
