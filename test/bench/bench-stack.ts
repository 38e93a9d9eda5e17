import { readFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Installation } from '../../src/embedded/installation.js';
import { removeState } from '../../src/embedded/remove-state.js';
import { Database } from '../../src/core/record/database.js';
import { forkServer, type ForkedServer } from './load/forked-server.js';
import { pidOf } from '../support/installation/part-pid.js';

/** Of the times in `/proc`, on every architecture that Node runs on. */
const TICK_MS = 10;

interface Json {
  [member: string]: unknown;
}

/** Servers on loopback may be called, as often as they can answer. */
const UPSTREAMS_OF_THE_BENCHMARK = {
  SERVICE_EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
  SERVICE_EGRESS_RATE_TENANT_PER_MIN: '0',
  SERVICE_EGRESS_RATE_CONNECTION_PER_MIN: '0',
  SERVICE_EGRESS_RATE_HOST_PER_MIN: '0',
};

/**
 * One installation with every part on this machine and the settings that a user gets, except the room for 200 runs and the limits of outbound calls. Bench rows
 * speak to it over HTTP; the record is opened beside it to prepare runs and to check what was recorded.
 */
export class BenchStack implements AsyncDisposable {
  private constructor(
    readonly installation: Installation,
    readonly dataDir: string,
    readonly databaseUrl: string,
    readonly db: Database,
    readonly owner: pg.Pool,
    readonly provider: ForkedServer,
  ) {}

  /** @param more settings beside those of every row */
  static async start(more: NodeJS.ProcessEnv = {}): Promise<BenchStack> {
    const dataDir = mkdtempSync(join(tmpdir(), 'sgb-'));
    const provider = await forkServer('model-provider');
    const installation = await Installation.start({
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        SERVICE_DATA_DIR: dataDir,
        SERVICE_LOG_LEVEL: 'warn',
        SERVICE_SANDBOX_CAPACITY: '256',
        SERVICE_LLM_ANTHROPIC_URL: `http://127.0.0.1:${provider.port}`,
        ANTHROPIC_API_KEY: 'bench',
        ...UPSTREAMS_OF_THE_BENCHMARK,
        ...more,
      },
      notify: (line) => process.stderr.write(`bench: ${line}\n`),
    });
    const socketDir = installation.folder.postgresSocketDir;
    const databaseUrl = `postgres://sandgate@/sandgate?host=${encodeURIComponent(socketDir)}`;
    const db = await Database.connect({ url: databaseUrl, poolSize: 16, applicationName: 'bench' });
    const owner = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    await requireDurability(owner);
    return new BenchStack(installation, dataDir, databaseUrl, db, owner, provider);
  }

  get port(): number {
    return Number(new URL(this.installation.url).port);
  }

  get adminToken(): string {
    return this.installation.adminToken;
  }

  async json<T extends object = Json>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.installation.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Resident memory of a part in MiB. */
  residentMb(part: 'api' | 'worker'): number {
    return residentMb(pidOf(this.installation, part));
  }

  /** Processor time that a part has taken, in ms, in steps of ten. */
  processorMs(part: 'api' | 'worker'): number {
    const stat = readFileSync(`/proc/${pidOf(this.installation, part)}/stat`, 'utf8');
    // Behind the name in brackets, which may hold anything; user and system time are the 12th and 13th of the rest.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return (Number(user) + Number(system)) * TICK_MS;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.db.close();
    await this.owner.end();
    await this.installation.stop('kill', AbortSignal.timeout(15_000));
    await this.provider[Symbol.asyncDispose]();
    // A release that the end interrupted leaves a mounted disk.
    await removeState(this.dataDir);
  }
}

export function residentMb(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** Figures without durable commits would be worth nothing. */
async function requireDurability(owner: pg.Pool): Promise<void> {
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await owner.query<Record<string, string>>(`show ${name}`);
    if (rows[0]?.[name] !== 'on') throw new Error(`${name} is ${rows[0]?.[name]}, not on`);
  }
}
