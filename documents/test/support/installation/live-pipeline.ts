import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { SMALL_HEAP } from '../../../../src/embedded/documents-service.js';
import { nodeProgram } from '../../../../src/embedded/service-parts.js';
import { compiledBefore } from '../../../../test/support/installation/own-place.js';
import { pauseAfter } from '../../../../test/support/time/pause.js';
import { connectDriver, type ConnectedDriver } from '../../../src/core/driver/connect-driver.js';
import { wake } from '../../../src/core/driver/wake.js';
import { originalKey } from '../../../src/platform/blobs/blob-store.js';
import { FsBlobStore } from '../../../src/platform/blobs/fs-blob-store.js';
import { WOKEN_WORKFLOWS } from '../../../src/workflows/messages.js';
import { createTestDatabase, type TestDatabase } from '../database/database.js';
import { makeOrganization, type FirstClient } from '../../../src/core/access/make-organization.js';
import { plantProject, plantWorkspace } from '../database/plant-organization.js';
import { plantVersion, type PlantedVersion } from '../documents/plant-version.js';
import { createNamespace, type OwnNamespace } from '../temporal/own-namespace.js';

const WORKER = new URL('../../../../dist/documents/worker/main.js', import.meta.url);
const SEAL_KEY = '11'.repeat(32);

/** An organization with one project, and its administrator. */
export interface LiveOrganization {
  orgId: string;
  projectId: string;
  client: FirstClient;
}

/** A version as its row is. */
export interface VersionRow {
  id: string;
  status: string;
  stage: string | null;
  attempt: number;
  parse_id: string | null;
  pages_done: number;
  pages_total: number | null;
  lost_ms: number;
  error: { code: string; message: string } | null;
}

const TERMINAL = new Set(['ready', 'partial', 'stored', 'failed', 'quarantined']);

/** A worker as it is delivered, in a process of its own, on a database, a namespace and a store of its own. */
export class LivePipeline {
  private worker: ChildProcess | null = null;
  private said = '';

  private constructor(
    readonly test: TestDatabase,
    private ofNow: LiveOrganization,
    readonly store: FsBlobStore,
    readonly temporal: OwnNamespace,
    private readonly driver: ConnectedDriver,
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}): Promise<LivePipeline> {
    const [test, temporal] = await Promise.all([createTestDatabase(), createNamespace()]);
    const folder = mkdtempSync(join(tmpdir(), 'docsvc-'));
    const store = await FsBlobStore.open(join(folder, 'blobs'));
    const config = {
      temporal: { connection: { address: temporal.address }, namespace: temporal.namespace },
      timing: { workflowTaskMs: 4000 },
    };
    const driver = connectDriver(config, test.record, WOKEN_WORKFLOWS, { warn: () => undefined });
    const pipeline = new LivePipeline(test, await newOrganization(test), store, temporal, driver, folder, env);
    await pipeline.startWorker();
    return pipeline;
  }

  /** Whose documents are uploaded and asked for. */
  get org(): LiveOrganization {
    return this.ofNow;
  }

  /** From now on it is that of another organization, which has nothing yet. */
  async changeOrganization(): Promise<void> {
    this.ofNow = await newOrganization(this.test);
  }

  /** The environment of a process of this deployment. */
  get environment(): NodeJS.ProcessEnv {
    const { PATH, HOME } = process.env;
    return {
      ...{ PATH, HOME, ...compiledBefore() },
      DOCSVC_DATABASE_URL: this.test.ownerUrl,
      DOCSVC_TEMPORAL_ADDRESS: this.temporal.address,
      DOCSVC_TEMPORAL_NAMESPACE: this.temporal.namespace,
      DOCSVC_DATA_DIR: this.folder,
      DOCSVC_SEAL_KEY: SEAL_KEY,
      DOCSVC_LOG_LEVEL: 'info',
      MALLOC_ARENA_MAX: '2',
      DOCSVC_TIMING_HEARTBEAT_MS: '1500',
      DOCSVC_TIMING_STICKY_MS: '500',
      DOCSVC_TIMING_WORKFLOW_TASK_MS: '4000',
      ...this.env,
    };
  }

  async startWorker(): Promise<void> {
    const [node, ...argv] = nodeProgram(WORKER, SMALL_HEAP);
    const child = spawn(node, argv, {
      env: this.environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.worker = child;
    child.stderr.on('data', (chunk: Buffer) => (this.said = (this.said + chunk.toString()).slice(-20_000)));
    await this.until('the worker', 60_000, () => {
      if (child.exitCode !== null) throw new Error(`the worker ended with ${child.exitCode}: ${this.said}`);
      return Promise.resolve(this.said.includes('"ready"') ? true : undefined);
    });
  }

  get workerPid(): number {
    const pid = this.worker?.pid;
    if (pid === undefined) throw new Error('no worker runs');
    return pid;
  }

  get workerLives(): boolean {
    return this.worker?.exitCode === null && this.worker.signalCode === null;
  }

  /** `kill -9`; another one may be started afterwards. */
  async killWorker(): Promise<void> {
    const child = this.worker;
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    this.worker = null;
    this.said = '';
  }

  /** Uploads bytes as a completed upload leaves them, and has them read. */
  async upload(name: string, bytes: Buffer, options: { declared?: Buffer } = {}): Promise<PlantedVersion> {
    const planted = await plantVersion(this.test.owner, this.org, { name, sizeBytes: bytes.length });
    await this.store.put(
      originalKey(planted.versionId),
      Readable.from([bytes], { objectMode: false }),
      bytes.length + 1,
    );
    if (options.declared !== undefined) {
      const update = 'update document_versions set declared_sha256 = $1 where id = $2';
      await this.test.owner.query(update, [options.declared, planted.versionId]);
    }
    await this.test.record.inOrganization(this.org.orgId, (tx) => wake(tx, 'ingest', planted.versionId));
    return planted;
  }

  async version(id: string): Promise<VersionRow> {
    const { rows } = await this.test.owner.query<VersionRow>('select * from document_versions where id = $1', [id]);
    const [row] = rows;
    if (row === undefined) throw new Error(`there is no version ${id}`);
    return row;
  }

  untilTerminal(id: string, withinMs = 60_000): Promise<VersionRow> {
    return this.until(`version ${id} to end`, withinMs, async () => {
      const row = await this.version(id);
      return TERMINAL.has(row.status) ? row : undefined;
    });
  }

  /** Types of the events that tell of a version, the oldest first. */
  async events(versionId: string): Promise<string[]> {
    const { rows } = await this.test.owner.query<{ type: string }>(
      `select type from events_outbox where data ->> 'documentVersionId' = $1 order by occurred_at`,
      [versionId],
    );
    return rows.map(({ type }) => type);
  }

  /** Polls until `look` answers something; the time limit is a bound on a failure, not a wait. */
  async until<T>(what: string, withinMs: number, look: () => Promise<T | undefined>): Promise<T> {
    const begun = Date.now();
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      const waited = Date.now() - begun;
      if (waited > withinMs) throw new Error(`waited ${withinMs} ms for ${what}; ${this.said.slice(-3000)}`);
      await delay(pauseAfter(waited, 40));
    }
  }

  /** Has a schedule start its workflow now, and waits until that has ended. */
  async runSchedule(scheduleId: string): Promise<void> {
    const { schedule, workflow } = this.temporal.client;
    const handle = schedule.getHandle(scheduleId);
    const { recentActions: before } = (await handle.describe()).info;
    await handle.trigger();
    const action = await this.until(`the schedule ${scheduleId}`, 60_000, async () => {
      const { recentActions } = (await handle.describe()).info;
      return recentActions.length > before.length ? recentActions.at(-1)?.action : undefined;
    });
    if (action.type !== 'startWorkflow') throw new Error(`${scheduleId} started no workflow`);
    await workflow.getHandle(action.workflow.workflowId).result();
  }

  async stop(): Promise<void> {
    await this.killWorker();
    await this.driver.close();
    await this.test.close();
    await this.temporal.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function newOrganization({ record, owner }: TestDatabase): Promise<LiveOrganization> {
  const client = await makeOrganization(record, 'Acme');
  const { orgId } = client;
  const workspaceId = await plantWorkspace(owner, orgId);
  return { orgId, projectId: await plantProject(owner, { orgId, workspaceId }), client };
}
