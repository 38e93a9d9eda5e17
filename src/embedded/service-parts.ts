import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import type { SandgateConfig } from '../platform/config/index.js';
import { StartRefused } from './start-refused.js';
import type { PartDefinition } from './supervised-process.js';

const READY_TIMEOUT_MS = 60_000;
const MIGRATE_TIMEOUT_MS = 180_000;

export type Shared = Pick<PartDefinition, 'logs' | 'guard' | 'notify'>;

/** What only the API may hold: the administrator's token and the keys of model providers. */
const OF_THE_API_ALONE = [
  'SERVICE_ADMIN_TOKEN',
  'SERVICE_ADMIN_TOKEN_FILE',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_API_KEY_FILE',
  'OPENAI_API_KEY',
  'OPENAI_API_KEY_FILE',
  'SERVICE_LLM_UPSTREAM_KEY',
  'SERVICE_LLM_UPSTREAM_KEY_FILE',
] as const;

export function apiPart(shared: Shared, env: NodeJS.ProcessEnv, url: string, adminToken: string): PartDefinition {
  return {
    ...shared,
    name: 'api',
    stopSignal: 'SIGTERM',
    launch: () => ({ argv: nodeProgram(here('../../api/main.js')), env, channel: true }),
    ready: (signal) => answersAsOurs(url, adminToken, signal),
  };
}

export function workerPart(
  shared: Shared,
  env: NodeJS.ProcessEnv,
  temporal: SandgateConfig['temporal'],
): PartDefinition {
  const own = withoutSecretsOfTheApi(env);
  return {
    ...shared,
    name: 'worker',
    stopSignal: 'SIGTERM',
    launch: () => ({ argv: nodeProgram(here('../../worker/main.js')), env: own, channel: true }),
    ready: (signal) => untilPolled(temporal, Date.now(), signal),
  };
}

export function withoutSecretsOfTheApi(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !OF_THE_API_ALONE.some((secret) => secret === name)),
  );
}

/** Brings the schema up to date; throws `StartRefused` with PostgreSQL's own reason. */
export async function migrateDatabase(env: NodeJS.ProcessEnv): Promise<void> {
  await runToItsEnd(here('./migrate.main.js'), env, 'the database could not be brought to the current schema');
}

/** Runs a program that prepares something. @throws StartRefused with `failure` and the last error that the program told */
export async function runToItsEnd(program: URL, env: NodeJS.ProcessEnv, failure: string): Promise<string> {
  const [node, ...argv] = nodeProgram(program);
  try {
    return (await promisify(execFile)(node, argv, { env, timeout: MIGRATE_TIMEOUT_MS })).stdout;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    const reason =
      /^\w*[Ee]rror: (.*)$/m.exec(stderr ?? '')?.[1] ?? (error instanceof Error ? error.message : String(error));
    throw new StartRefused(`${failure}: ${reason}`);
  }
}

/** Megabytes of one half of the space for new objects; the default of twice as much is taken under load and not given back. */
const YOUNG_GENERATION = '--max-semi-space-size=8';

/** How a built program is run: as the API and the worker are. @param heap options of its heap, where it needs others than most */
export function nodeProgram(program: URL, heap: readonly string[] = [YOUNG_GENERATION]): [string, ...string[]] {
  const preloads = ['./own-source-maps.js', './end-with-parent.js'].flatMap((preload) => [
    '--import',
    here(preload).href,
  ]);
  return [process.execPath, ...heap, ...preloads, fileURLToPath(program)];
}

function here(relative: string): URL {
  return new URL(relative, import.meta.url);
}

/** The API serves when it is ready and takes our token: another installation may have been faster to take the port. */
async function answersAsOurs(url: string, adminToken: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const ready = await statusOf(`${url}/v1/health/ready`);
    const status = ready === 200 ? await statusOf(`${url}/v1/admin/orgs?limit=1`, adminToken) : ready;
    if (status === 200) return;
    if (Date.now() > deadline) throw new Error(`${url} does not answer as ours (last status ${status})`);
    await delay(25, undefined, { signal });
  }
}

/** Of an answer; 0 where there is none. */
export function statusOf(url: string, token?: string): Promise<number> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return fetch(url, { headers, signal: AbortSignal.timeout(5000) }).then(
    (response) => response.status,
    () => 0,
  );
}

/** Where a worker asks for work. */
export type PolledQueue = Pick<SandgateConfig['temporal'], 'connection' | 'namespace'> & { readonly taskQueue: string };

/** The worker serves when Temporal has seen it ask for work since it was started. */
export async function untilPolled(temporal: PolledQueue, since: number, signal: AbortSignal): Promise<void> {
  const connection = await Connection.connect({ ...temporal.connection, connectTimeout: '10s' });
  const deadline = Date.now() + READY_TIMEOUT_MS;
  try {
    while (!(await hasPoller(connection, temporal, since))) {
      if (Date.now() > deadline) throw new Error('the worker does not ask Temporal for work');
      await delay(50, undefined, { signal });
    }
  } finally {
    await connection.close();
  }
}

async function hasPoller(connection: Connection, temporal: PolledQueue, since: number): Promise<boolean> {
  const queue = await connection.workflowService.describeTaskQueue({
    namespace: temporal.namespace,
    taskQueue: { name: temporal.taskQueue },
    taskQueueType: 1,
  });
  return queue.pollers.some((poller) => Number(poller.lastAccessTime?.seconds ?? 0) * 1000 >= since - 1000);
}
