import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { openSync, closeSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { generate } from 'selfsigned';
import { giteaHome } from '../../../bootstrap/gitea.mjs';
import { removeTree } from '../../../src/platform/host/remove-tree.js';
import { freePorts } from '../installation/free-ports.js';
import { stopChild } from '../installation/stop-child.js';

const START_MS = 120_000;
const STOP_MS = 20_000;
const LAST_LINES = 20;

const run = promisify(execFile);

/** Gitea as a process with all its state in one folder: SQLite, https with a certificate of its own, webhooks to any address. */
export class GiteaProcess {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    /** What its clients have to trust, in PEM. */
    readonly certificate: string,
    private readonly folder: string,
  ) {}

  static async start(): Promise<GiteaProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'gitea-'));
    const [port = 0] = await freePorts(1);
    const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
      keyType: 'ec',
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
      ],
    });
    writeFileSync(join(folder, 'key.pem'), pems.private, { mode: 0o600 });
    writeFileSync(join(folder, 'cert.pem'), pems.cert);
    writeFileSync(join(folder, 'app.ini'), configuration(folder, port), { mode: 0o600 });
    const gitea = new GiteaProcess(port, pems.cert, folder);
    try {
      await gitea.admin('migrate');
      return gitea;
    } catch (error) {
      await gitea.stop();
      throw error;
    }
  }

  get url(): string {
    return `https://localhost:${this.port}`;
  }

  /** Starts to serve. @param answers whether it does */
  async serve(answers: () => Promise<boolean>): Promise<void> {
    const log = openSync(this.logFile, 'a');
    const child = spawn(join(giteaHome(), 'gitea'), ['web', ...this.place], {
      env: this.environment,
      cwd: this.folder,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.child = child;
    for (const deadline = Date.now() + START_MS; !(await answers()); await sleep(50)) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`Gitea does not start:\n${this.lastLines()}`);
    }
  }

  /** Runs its command line on the same state. @returns what it printed */
  async admin(...argv: string[]): Promise<string> {
    const { stdout } = await run(join(giteaHome(), 'gitea'), [...argv, ...this.place], {
      env: this.environment,
      cwd: this.folder,
      timeout: START_MS,
    });
    return stdout;
  }

  /** Ends it, and removes everything that it made. */
  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child !== undefined) await stopChild(child, STOP_MS);
    await removeTree(this.folder);
  }

  private get place(): string[] {
    return ['--config', join(this.folder, 'app.ini'), '--work-path', this.folder];
  }

  private get environment(): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], HOME: this.folder, GITEA_I_AM_BEING_UNSAFE_RUNNING_AS_ROOT: '1' };
  }

  private get logFile(): string {
    return join(this.folder, 'gitea.log');
  }

  private lastLines(): string {
    return readFileSync(this.logFile, 'utf8').split('\n').slice(-LAST_LINES).join('\n');
  }
}

function configuration(folder: string, port: number): string {
  const secret = (): string => randomBytes(32).toString('hex');
  return `APP_NAME = Code host of a test
RUN_MODE = prod
[server]
PROTOCOL = https
CERT_FILE = ${join(folder, 'cert.pem')}
KEY_FILE = ${join(folder, 'key.pem')}
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
DOMAIN = localhost
ROOT_URL = https://localhost:${port}/
LOCAL_ROOT_URL = https://localhost:${port}/
STATIC_ROOT_PATH = ${giteaHome()}
APP_DATA_PATH = ${join(folder, 'data')}
OFFLINE_MODE = true
DISABLE_SSH = true
[database]
DB_TYPE = sqlite3
PATH = ${join(folder, 'gitea.db')}
[repository]
ROOT = ${join(folder, 'repositories')}
[security]
INSTALL_LOCK = true
SECRET_KEY = ${secret()}
INTERNAL_TOKEN = ${secret()}
PASSWORD_HASH_ALGO = pbkdf2_v1
[oauth2]
ENABLED = false
[service]
DISABLE_REGISTRATION = true
[webhook]
ALLOWED_HOST_LIST = *
SKIP_TLS_VERIFY = true
[log]
MODE = console
LEVEL = Warn
[actions]
ENABLED = false
[packages]
ENABLED = false
[cron]
ENABLED = false
`;
}
