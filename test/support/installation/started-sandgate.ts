import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pauseAfter } from '../time/pause.js';
import { ownPlace } from './own-place.js';

const PROGRAM = resolve('dist/cli/main.js');
const START_TIMEOUT_MS = 120_000;

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** `sandgate start` as a process of its own, as a person runs it. */
export class StartedSandgate {
  output = '';
  readonly ended: Promise<Ended>;

  private constructor(
    readonly child: ChildProcess,
    readonly dataDir: string,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString('utf8')));
    this.ended = new Promise((done) => child.once('close', (code) => done({ code, output: this.output })));
  }

  /** @param options of the command */
  static spawn(dataDir: string, env: NodeJS.ProcessEnv = {}, options: string[] = []): StartedSandgate {
    const child = spawn(process.execPath, [PROGRAM, 'start', ...options], {
      env: { ...ownPlace(), SERVICE_DATA_DIR: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new StartedSandgate(child, dataDir);
  }

  static async start(dataDir: string, env: NodeJS.ProcessEnv = {}, options: string[] = []): Promise<StartedSandgate> {
    const started = StartedSandgate.spawn(dataDir, env, options);
    await started.ready();
    return started;
  }

  get url(): string {
    return (JSON.parse(readFileSync(join(this.dataDir, 'supervisor.json'), 'utf8')) as { url: string }).url;
  }

  /** Of the API, of Temporal and of its Web UI. */
  get ports(): number[] {
    return Object.values(JSON.parse(readFileSync(join(this.dataDir, 'ports.json'), 'utf8')) as Record<string, number>);
  }

  get token(): string {
    return readFileSync(join(this.dataDir, 'admin-token'), 'utf8').trim();
  }

  async ready(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!/^ {2}Admin token .*\n/m.test(this.output)) {
      if (this.child.exitCode !== null || Date.now() > deadline) throw new Error(`it did not start:\n${this.output}`);
      await delay(50);
    }
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    return fetch(`${this.url}${path}`, { ...init, headers, signal: AbortSignal.timeout(20_000) });
  }

  /** Ends it in the orderly way and answers how long that took, in milliseconds. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
    const begun = Date.now();
    this.child.kill(signal);
    await this.ended;
    return Date.now() - begun;
  }
}

export function temporaryStateFolder(): string {
  return mkdtempSync(join(tmpdir(), 'sandgate-e2e-'));
}

/** Every process whose command line or folder names the state folder, whoever its parent is. */
export function processesOf(dataDir: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      const command = readOrEmpty(`/proc/${entry}/cmdline`).replaceAll('\0', ' ');
      const environment = readOrEmpty(`/proc/${entry}/environ`);
      const isOurs = command.includes(dataDir) || environment.includes(`_DATA_DIR=${dataDir}\0`);
      return isOurs && Number(entry) !== process.pid ? [{ pid: Number(entry), command }] : [];
    });
}

export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs: number,
  what: string,
): Promise<void> {
  const start = Date.now();
  while (!(await condition())) {
    const waited = Date.now() - start;
    if (waited > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(pauseAfter(waited, 50));
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return '';
    throw error;
  }
}
