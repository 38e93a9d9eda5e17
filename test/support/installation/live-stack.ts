import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { planeRoot } from '../../../src/platform/host/plane-socket-path.js';
import type { Installation as InstallationClass } from '../../../src/embedded/installation.js';
import type { PodmanService } from '../engine/podman-service.js';
import { endEngineOf, engineOf, engineSettings } from '../engine/test-provider.js';
import { TOOLS_IMAGE } from '../engine/test-image.js';
import { pauseAfter } from '../time/pause.js';
import { freePorts } from './free-ports.js';
import { ownPlace } from './own-place.js';
import { pidOf } from './part-pid.js';
import { RunStates } from './run-states.js';

/** Small durations, so that what production does in seconds happens in a test without waiting. */
const QUICK: NodeJS.ProcessEnv = {
  SERVICE_TIMING_STICKY_MS: '500',
  SERVICE_TIMING_WORKFLOW_TASK_MS: '4000',
  SERVICE_TIMING_ACTIVITY_HEARTBEAT_MS: '2000',
  SERVICE_TIMING_ACTIVITY_RETRY_MS: '100',
  SERVICE_TIMING_RELAY_STALE_MS: '500',
  SERVICE_TIMING_HEARTBEAT_MS: '500',
  SERVICE_TIMING_QUIESCE_MS: '3000',
  SERVICE_LOG_LEVEL: 'warn',
};

/**
 * For a suite that kills something, or waits for what maintenance does: what is lost is found soon. A round costs as much processor time
 * as seconds of an idle installation.
 */
export const QUICK_MAINTENANCE: NodeJS.ProcessEnv = { SERVICE_TIMING_MAINTENANCE_MS: '10000' };

/** For a test that would know how the product behaves as it is delivered. */
export const REAL_DURATIONS: NodeJS.ProcessEnv = Object.fromEntries(
  Object.keys(QUICK)
    .filter((name) => name.startsWith('SERVICE_TIMING_'))
    .map((name) => [name, undefined]),
);

export interface Session {
  id: string;
  status: string;
  status_reason: string | null;
  event_seq: number;
  result_summary: string | null;
  host_id?: string | null;
}

export interface TimelineEvent {
  seq: number;
  type: string;
  actor: string;
  payload: { type: string; data: Record<string, unknown> };
}

export interface Approval {
  id: string;
  session_id: string;
  tool_call_id: string;
  status: string;
}

export type Part = 'api' | 'worker' | 'temporal' | 'postgres';

const LAST_WARNINGS = 5;
const SHORTEST_PAUSE_MS = 40;

export const TERMINAL = new Set(['completed', 'failed', 'cancelled', 'budget_exceeded']);

/** A whole installation from the built output, in a folder of its own, spoken to over its public plane. */
export class LiveStack {
  /** Null where its record is kept elsewhere. */
  private readonly states: RunStates | null;

  private constructor(
    readonly installation: InstallationClass,
    readonly dataDir: string,
    readonly notices: string[],
    /** What makes its sandboxes, where the suites are run with containers and this one does not say otherwise. */
    readonly engine: PodmanService | null,
  ) {
    this.states = installation.pids.postgres === undefined ? null : new RunStates(join(dataDir, 'pg'));
  }

  static async start(
    env: NodeJS.ProcessEnv = {},
    dataDir = mkdtempSync(join(stacksFolder(), 'sg-')),
  ): Promise<LiveStack> {
    const built = new URL('../../../dist/src/embedded/installation.js', import.meta.url).href;
    const { Installation } = (await import(built)) as { Installation: typeof InstallationClass };
    const notices: string[] = [];
    await takeOwnPorts(dataDir);
    await takePreparedCluster(dataDir);
    await takePreparedRuntime(dataDir);
    const engine = env['SERVICE_PROVIDER'] === undefined ? await engineOf(dataDir) : null;
    const provider = engine === null ? {} : engineSettings(engine, TOOLS_IMAGE);
    try {
      const installation = await Installation.start({
        env: { ...ownPlace(), ...QUICK, ...provider, ...env, SERVICE_DATA_DIR: dataDir },
        notify: (line) => notices.push(line),
      });
      return new LiveStack(installation, dataDir, notices, engine);
    } catch (error) {
      await endEngineOf(dataDir);
      throw error;
    }
  }

  get url(): string {
    return this.installation.url;
  }

  async stop(): Promise<void> {
    try {
      await this.installation.stop('kill', AbortSignal.timeout(60_000));
    } finally {
      await endEngineOf(this.dataDir);
    }
    removeStateOf(this.dataDir);
  }

  /** `kill -9`, of the whole process group where the part has one. */
  kill(part: Part): void {
    process.kill(-pidOf(this.installation, part), 'SIGKILL');
  }

  request(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.installation.adminToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
  }

  /** The answer of a call that must succeed; while a part is being restarted it is repeated for up to a minute. */
  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const response = await this.request(method, path, body).catch(() => undefined);
      if (response?.ok === true) return (await response.json()) as T;
      if (response !== undefined && response.status < 500) {
        throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
      }
      if (Date.now() > deadline) throw new Error(`${method} ${path} did not succeed in 60 s (${response?.status})`);
      await delay(50);
    }
  }

  /** An agent on the replay harness. */
  async createReplayAgent(name: string, policy = 'standard', more: object = {}): Promise<void> {
    await this.json('POST', '/v1/agents', { name, harness: 'replay', policy, ...more });
  }

  async startRun(agent: string, steps: object[], more: object = {}): Promise<string> {
    const task = JSON.stringify(steps);
    const { session } = await this.json<{ session: Session }>('POST', '/v1/sessions', { agent, task, ...more });
    return session.id;
  }

  async session(id: string): Promise<Session> {
    return (await this.json<{ session: Session }>('GET', `/v1/sessions/${id}`)).session;
  }

  async untilStatus(id: string, statuses: string | readonly string[], withinMs = 120_000): Promise<Session> {
    const wanted = new Set(typeof statuses === 'string' ? [statuses] : statuses);
    return this.until(`run ${id} to be ${[...wanted].join(' or ')}`, withinMs, async () => {
      if ((await this.states?.isOneOf(id, [...wanted, ...TERMINAL])) === false) return undefined;
      const session = await this.session(id);
      if (wanted.has(session.status)) return session;
      if (TERMINAL.has(session.status)) {
        throw new Error(`run ${id} is ${session.status} (${session.status_reason}), not ${[...wanted].join(' or ')}`);
      }
      return undefined;
    });
  }

  untilTerminal(id: string, withinMs = 180_000): Promise<Session> {
    return this.untilStatus(id, [...TERMINAL], withinMs);
  }

  /** Cancels every run that goes on, and waits for their ends. */
  async endRuns(): Promise<void> {
    const { sessions } = await this.json<{ sessions: Session[] }>('GET', '/v1/sessions?limit=1000');
    await Promise.all(
      sessions
        .filter(({ status }) => !TERMINAL.has(status))
        .map(async ({ id }) => {
          await this.json('POST', `/v1/sessions/${id}/cancel`);
          await this.untilTerminal(id);
        }),
    );
  }

  async timeline(id: string): Promise<TimelineEvent[]> {
    const all: TimelineEvent[] = [];
    for (;;) {
      const after = all.at(-1)?.seq ?? 0;
      const page = await this.json<{ events: TimelineEvent[] }>('GET', `/v1/sessions/${id}/events?after=${after}`);
      if (page.events.length === 0) return all;
      all.push(...page.events);
    }
  }

  async pendingApproval(id: string, withinMs = 120_000): Promise<Approval> {
    return this.until(`an approval of run ${id}`, withinMs, async () => {
      if ((await this.states?.isAsking(id)) === false) return undefined;
      const { approvals } = await this.json<{ approvals: Approval[] }>('GET', `/v1/sessions/${id}/approvals`);
      return approvals.find((approval) => approval.status === 'pending');
    });
  }

  decide(approvalId: string, decision: string): Promise<Approval> {
    return this.json<Approval>('POST', `/v1/approvals/${approvalId}/decision`, { decision });
  }

  /** What tells afterwards why something did not happen: the notices, and the last warnings of API and worker. */
  private said(): string[] {
    const warnings = ['api', 'worker'].flatMap((part) => {
      const log = readFileSync(join(this.dataDir, 'logs', `${part}.log`), 'utf8');
      return log.trimEnd().split('\n').slice(-LAST_WARNINGS);
    });
    return [...this.notices, ...warnings.map((line) => line.slice(0, 500))];
  }

  /** Polls until `look` answers something; the time limit is a bound on a failure, not a wait. */
  async until<T>(what: string, withinMs: number, look: () => Promise<T | undefined>): Promise<T> {
    const start = Date.now();
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      const waited = Date.now() - start;
      if (waited > withinMs) throw new Error(`waited ${withinMs} ms for ${what}; ${this.said().join(' | ')}`);
      await delay(pauseAfter(waited, SHORTEST_PAUSE_MS));
    }
  }
}

/** Removes the state folder of an installation whose parts are gone. */
export function removeStateOf(dataDir: string): void {
  // A worker that is stopped right after a run's end leaves the rest of the cleaning to the next start, which never comes here.
  for (const mount of mountsBeneath(dataDir)) unmount(dataDir, mount);
  // Killed processes may still be writing their last file.
  for (const folder of [planeRoot(dataDir), dataDir])
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** A killed process may have left a command behind that unmounts the same. */
function unmount(folder: string, mount: string): void {
  try {
    execFileSync('umount', ['-l', mount], { stdio: 'ignore' });
  } catch (error) {
    if (mountsBeneath(folder).includes(mount)) throw error;
  }
}

function mountsBeneath(folder: string): string[] {
  const targets = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  return targets.filter((target) => target.startsWith(`${folder}/`));
}

/** Where stacks have their state (prepare-cluster.mjs). */
function stacksFolder(): string {
  return process.env['TEST_STACKS'] ?? tmpdir();
}

/**
 * Of the schema that every stack begins with (prepare-cluster.mjs); a folder that had a stack before keeps its own. One program copies
 * its fifteen hundred files, where as many calls of this process would each wait for a turn.
 */
async function takePreparedCluster(dataDir: string): Promise<void> {
  const prepared = process.env['TEST_PREPARED_CLUSTER'];
  const own = join(dataDir, 'postgres');
  if (prepared !== undefined && !existsSync(own)) await promisify(execFile)('cp', ['-a', prepared, own]);
}

/** Shares the files of a runtime (prepare-cluster.mjs), which is two hundred megabytes; on another file system the worker makes its own. */
async function takePreparedRuntime(dataDir: string): Promise<void> {
  const prepared = process.env['TEST_PREPARED_RUNTIME'];
  const own = join(dataDir, 'runtime');
  if (prepared === undefined || existsSync(own) || statSync(prepared).dev !== statSync(dataDir).dev) return;
  await promisify(execFile)('cp', ['-al', prepared, own]);
}

/** Ports that no other installation would choose: stacks of several specs start on one machine at the same time. */
async function takeOwnPorts(dataDir: string): Promise<void> {
  const [api, temporal, temporalWeb] = await freePorts(3);
  writeFileSync(join(dataDir, 'ports.json'), JSON.stringify({ api, temporal, temporalWeb }));
}
