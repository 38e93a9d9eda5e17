/**
 * Records a history of every path of the workflows into test/replay/histories, from a real installation. Run it when a path is
 * added or a release is cut, never to silence a replay that fails: that failure says that a live run would break.
 * Usage: npm run histories -- [name …] (default: every path)
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import pg from 'pg';
import { Installation } from '../../dist/src/embedded/installation.js';
import { removeState } from '../../dist/src/embedded/remove-state.js';
import { provideTemporalBinary } from '../../dist/src/embedded/temporal-binary.js';
import { brokerPaths, Upstream } from './broker-paths.mjs';
import { deliveryEnvironment, deliveryPaths } from './delivery-paths.mjs';
import { eventPaths } from './event-paths.mjs';
import { NoticeReceiver, noticePaths } from './notice-paths.mjs';
import { runPaths, permanentPaths } from './paths.mjs';
import { schedulePaths } from './schedule-paths.mjs';
import { setupPaths } from './setup-paths.mjs';
import { Stage } from './stage.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = fileURLToPath(new URL('./histories', import.meta.url));
/** The server suggests a new run after so few events, so that the history which shows it stays small. */
const SUGGEST_NEW_AFTER_EVENTS = 150;

const wanted = process.argv.slice(2);
const dataDir = mkdtempSync(join(tmpdir(), 'sg-rec-'));
const files = mkdtempSync(join(tmpdir(), 'sg-files-'));
const receiver = await NoticeReceiver.start();
const upstream = await Upstream.start();
const temporal = await startTemporal();
const connection = await Connection.connect({ address: temporal.address, connectTimeout: '30s' });
const client = new Client({ connection });
let installation;
let database;
try {
  installation = await Installation.start({ env: environment(), notify: (line) => process.stderr.write(`${line}\n`) });
  database = new pg.Client({ host: join(dataDir, 'pg'), user: 'sandgate', database: 'sandgate' });
  await database.connect();
  const stage = new Stage(installation, client, database, files);
  await stage.prepare();
  await upstream.prepare(stage);
  mkdirSync(FOLDER, { recursive: true });
  const paths = {
    ...runPaths,
    ...setupPaths,
    ...brokerPaths(upstream),
    ...permanentPaths,
    ...noticePaths(receiver),
    ...deliveryPaths(receiver, dataDir),
    ...eventPaths,
    ...schedulePaths,
  };
  for (const [name, play] of Object.entries(paths)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const { workflowId, runId } = await play(stage);
    await save(name, workflowId, runId);
  }
} finally {
  await database?.end();
  await installation?.stop('kill', AbortSignal.timeout(20_000));
  await connection.close();
  temporal.child.kill('SIGTERM');
  receiver.close();
  upstream.close();
  await removeState(dataDir);
  rmSync(files, { recursive: true, force: true });
}

function environment() {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    TEMPORAL_ADDRESS: temporal.address,
    SERVICE_DATA_DIR: dataDir,
    SERVICE_BIND: `127.0.0.1:${temporal.apiPort}`,
    SERVICE_LOCAL_COPY_ROOTS: files,
    SERVICE_CAPACITY_TENANT_MAX_ACTIVE: '1',
    SERVICE_QUEUE_TTL_SECS: '15',
    SERVICE_LAUNCH_MAX_ATTEMPTS: '3',
    SERVICE_LAUNCH_REQUEUE_BACKOFF_SECS: '1',
    SERVICE_TIMING_MAINTENANCE_MS: '2000',
    SERVICE_TIMING_RELAY_STALE_MS: '500',
    SERVICE_TIMING_HEARTBEAT_MS: '500',
    SERVICE_TIMING_QUIESCE_MS: '3000',
    SERVICE_TIMING_HOST_GONE_MS: '3000',
    SERVICE_LOG_LEVEL: 'warn',
    ...receiver.environment,
    ...deliveryEnvironment,
    ...upstream.environment,
  };
}

async function startTemporal() {
  const [grpc, apiPort] = [await freePort(), await freePort()];
  const binary = await provideTemporalBinary(null, (line) => process.stderr.write(`${line}\n`));
  const attributes = [
    'SandgateOrg=Keyword',
    'SandgateAgent=Keyword',
    'SandgateStatus=Keyword',
    'SandgatePendingApprovals=Int',
  ];
  const argv = [
    ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(grpc), '--log-level', 'error'],
    ...['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${SUGGEST_NEW_AFTER_EVENTS}`],
    ...attributes.flatMap((attribute) => ['--search-attribute', attribute]),
  ];
  const child = spawn(binary, argv, { stdio: 'ignore' });
  return { child, address: `127.0.0.1:${grpc}`, apiPort };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await once(server.close(), 'close');
  return port;
}

/** Saves a history without what belongs to the machine that it was recorded on. */
async function save(name, workflowId, runId) {
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const text = historyToJSON(history)
    .replaceAll(hostname(), 'recorder')
    .replaceAll(files, '/srv/files')
    .replaceAll(ROOT, '/srv/sandgate/');
  const events = JSON.parse(text, (key, value) => (key === 'identity' ? 'recorder' : value));
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(events, null, 1)}\n`);
  process.stdout.write(`${name}: ${history.events.length} events\n`);
}
