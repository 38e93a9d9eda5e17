import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { concludeRun } from '../../../src/core/finalization/conclusion.js';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import type { Database } from '../../../src/core/record/database.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { Egress } from '../../../src/platform/egress/egress.js';
import { planeDirectory, planeRoot, planeSocketAccepts } from '../../../src/platform/host/plane-socket-path.js';
import { createTestDatabase, type TestDatabase } from '../database/database.js';
import { readLedger, readRows } from '../gate/gated-run.js';
import { startHttpsHost, type HttpsHost } from '../http/https-host.js';
import { startPlane, type PlaneApp } from '../plane/plane-app.js';
import type { FixtureRun } from '../runs/run-fixture.js';
import { until } from '../time/until.js';
import { askTunnel, readToEnd, type Asked, type Asking } from './tunnels.js';

/** The name that most runs of these suites may reach. */
export const NAME = 'packages.outside.example';
export const WIDE_NAME = 'b.wide.example.com';

const NAMES: Record<string, string[]> = {
  [NAME]: ['127.0.0.1'],
  [WIDE_NAME]: ['127.0.0.1'],
  'inside.outside.example': ['10.0.0.1'],
  'mixed.outside.example': ['127.0.0.1', '10.0.0.1'],
};

export interface FlowRow {
  target: string;
  port: number;
  verdict: string;
  connections: number;
  sent: number;
  received: number;
}

/** A database, control planes on it, and a host outside that they lead to. */
export class TunnelBench {
  private readonly planes: PlaneApp[] = [];
  private readonly folders: string[] = [];
  private readonly sockets: Socket[] = [];

  private constructor(
    private readonly database: TestDatabase,
    readonly host: HttpsHost,
  ) {}

  static async open(): Promise<TunnelBench> {
    const database = await createTestDatabase();
    const host = await startHttpsHost([NAME, WIDE_NAME], (request, response) => {
      response.end(request.url === '/large' ? Buffer.alloc(100_000, 'x') : `hello from ${request.headers.host}`);
    });
    return new TunnelBench(database, host);
  }

  get db(): Database {
    return this.database.db;
  }

  /** The host outside as a target. */
  get target(): string {
    return `${NAME}:${this.host.port}`;
  }

  /** Ends what a test has started. */
  async reset(): Promise<void> {
    for (const socket of this.sockets.splice(0)) socket.destroy();
    for (const plane of this.planes.splice(0)) await plane.close();
    for (const folder of this.folders.splice(0)) await rm(folder, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await this.host.close();
    await this.database.close();
  }

  async start(env: Record<string, string> = {}, proxy: string | null = null): Promise<PlaneApp> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tunnel-'));
    this.folders.push(dataDir, planeRoot(dataDir));
    const resolve = (name: string): Promise<string[]> => {
      const addresses = NAMES[name];
      return addresses === undefined ? Promise.reject(new Error('no such name')) : Promise.resolve(addresses);
    };
    const egress = new Egress({ allowCidrs: proxy === null ? ['127.0.0.1/32'] : [], proxy }, { resolve });
    const plane = await startPlane(this.database, env, { dataDir, egress });
    this.planes.push(plane);
    return plane;
  }

  async stop(plane: PlaneApp): Promise<void> {
    this.planes.splice(this.planes.indexOf(plane), 1);
    await plane.close();
  }

  async ask(plane: PlaneApp, run: FixtureRun, target: string | null, change: Partial<Asking> = {}): Promise<Asked> {
    const to = { port: Number(new URL(plane.url).port) };
    const asked = await askTunnel({ to, target, token: run.tokens.tool, ...change });
    this.sockets.push(asked.socket);
    return asked;
  }

  /** One request over TLS through an open tunnel. */
  async get({ socket }: Asked, path = '/', servername = NAME): Promise<string> {
    const tls = connectTls({ socket, servername, ca: this.host.ca });
    tls.on('error', () => tls.destroy());
    tls.write(`GET ${path} HTTP/1.1\r\nhost: ${servername}\r\nconnection: close\r\n\r\n`);
    return (await readToEnd(tls)).toString();
  }

  /** The way to a plane through the socket of a run. */
  async through(plane: PlaneApp, run: FixtureRun): Promise<{ path: string }> {
    await mkdir(planeDirectory(plane.dataDir, run.runId), { recursive: true });
    await until(
      () => planeSocketAccepts(plane.dataDir, run.runId, 500),
      (accepts) => accepts,
    );
    return { path: join(planeDirectory(plane.dataDir, run.runId), 'plane.sock') };
  }

  async events(run: FixtureRun, prefix = 'network.'): Promise<{ type: string; data: object }[]> {
    return (await readLedger(this.db, run))
      .filter(({ type }) => type.startsWith(prefix))
      .map(({ type, data }) => ({ type, data }));
  }

  /** The limits that the ledger says were reached, once there are some. */
  async reachedLimits(run: FixtureRun): Promise<unknown[]> {
    const read = async (): Promise<unknown[]> =>
      (await this.events(run, 'run.limit_reached')).map(({ data }) => (data as { limit: string }).limit);
    return until(read, (limits) => limits.length > 0);
  }

  flows(run: FixtureRun): Promise<FlowRow[]> {
    return readRows<FlowRow>(
      this.db,
      run,
      `select target, port, verdict, connections::int, bytes_sent::int as sent, bytes_received::int as received
         from network_flows where session_id = $1 order by target, verdict`,
    );
  }

  /** The terminal move, as the driver makes it. */
  async conclude(run: FixtureRun): Promise<void> {
    await this.db.withTenant(run.organizationId, async (tx) => {
      await requestFinalization(tx, run.runId, { outcome: 'completed', reason: null, wantsQuiesce: false });
      await moveRun(tx, run.runId, 'running', 'finalizing', null);
      await concludeRun(tx, run.runId);
    });
  }
}
