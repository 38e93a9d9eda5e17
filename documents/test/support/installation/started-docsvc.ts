import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compiledBefore } from '../../../../test/support/installation/own-place.js';
import { processesOf, type Ended } from '../../../../test/support/installation/started-sandgate.js';
import type { KeptClient } from '../../../src/embedded/first-client.js';

const PROGRAM = resolve('dist/documents/embedded/main.js');
const START_TIMEOUT_MS = 120_000;
const REQUEST_TIMEOUT_MS = 20_000;

/** Programs of the parts, as their command lines name them. */
const PROGRAMS = {
  api: 'documents/api/main.js',
  worker: 'documents/worker/main.js',
  postgres: 'bin/postgres -D',
  temporal: 'server start-dev',
} as const;

export type DocsvcPart = keyof typeof PROGRAMS;

/** Environment of an installation that shares the machine with others: of this process's own nothing but where programs are. */
export function ownDocsvcPlace(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  const uidBase = 900_000 + 64 * Number(process.env['JEST_WORKER_ID'] ?? 0);
  return { PATH, HOME, ...compiledBefore(), DOCSVC_SANDBOX_UID_BASE: String(uidBase) };
}

export function temporaryDocsvcFolder(): string {
  return mkdtempSync(join(tmpdir(), 'docsvc-e2e-'));
}

/** `npm start -w documents` as a process of its own, as a person runs it once it is built. */
export class StartedDocsvc {
  output = '';
  readonly ended: Promise<Ended>;
  private token: string | undefined;

  private constructor(
    readonly child: ChildProcess,
    readonly dataDir: string,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString('utf8')));
    this.ended = new Promise((done) => child.once('close', (code) => done({ code, output: this.output })));
  }

  static spawn(dataDir: string, env: NodeJS.ProcessEnv = {}): StartedDocsvc {
    const child = spawn(process.execPath, [PROGRAM], {
      env: { ...ownDocsvcPlace(), DOCSVC_DATA_DIR: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new StartedDocsvc(child, dataDir);
  }

  static async start(dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<StartedDocsvc> {
    const started = StartedDocsvc.spawn(dataDir, env);
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!/^ {2}First client .*\n/m.test(started.output)) {
      if (started.child.exitCode !== null || Date.now() > deadline)
        throw new Error(`it did not start:\n${started.output}\n${started.logs}`);
      await delay(50);
    }
    return started;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The ends of the logs of API and worker, for messages of tests that fail. */
  get logs(): string {
    return ['docsvc-api', 'docsvc-worker']
      .map((part) => join(this.dataDir, 'logs', `${part}.log`))
      .map((path) => (existsSync(path) ? `${path}:\n${readFileSync(path, 'utf8').slice(-4000)}` : ''))
      .join('\n');
  }

  get client(): KeptClient {
    return readClient(this.dataDir);
  }

  get url(): string {
    return this.client.apiUrl;
  }

  /** Pid of a part that lives. */
  pidOf(part: DocsvcPart): number {
    const found = findPart(this.dataDir, part);
    if (found === undefined) throw new Error(`${part} does not run:\n${this.output}\n${this.logs}`);
    return found;
  }

  /** A request of its first client, with the token that the first one was given. */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const { client } = this;
    this.token ??= await tokenOf(client);
    return requestWith(this.token, client, path, init);
  }

  /** Ends it in the orderly way and answers how long that took, in milliseconds. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
    const begun = Date.now();
    this.child.kill(signal);
    await this.ended;
    return Date.now() - begun;
  }
}

/** The client that the first start made. */
export function readClient(dataDir: string): KeptClient {
  return JSON.parse(readFileSync(join(dataDir, 'first-client.json'), 'utf8')) as KeptClient;
}

/** Pid of a part of the installation on that folder; undefined while it does not run. */
export function findPart(dataDir: string, part: DocsvcPart): number | undefined {
  const runs = ({ command }: { command: string }) => command.includes(PROGRAMS[part]) && !command.startsWith('bwrap');
  return processesOf(dataDir).find(runs)?.pid;
}

/** A request with a token of the client, which is asked for first. */
export async function requestAs(client: KeptClient, path: string, init: RequestInit = {}): Promise<Response> {
  return requestWith(await tokenOf(client), client, path, init);
}

function requestWith(token: string, { apiUrl }: KeptClient, path: string, init: RequestInit): Promise<Response> {
  return fetch(`${apiUrl}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
}

/** Exchanges the credentials of a client for an access token. */
export async function tokenOf({ apiUrl, clientId, clientSecret }: KeptClient): Promise<string> {
  const answer = await fetch(`${apiUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { access_token: string }).access_token;
}
