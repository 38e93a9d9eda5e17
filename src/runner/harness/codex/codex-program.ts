import { execFile, spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { HARNESS_INSIDE } from '../../../domain/harness/harness-program.js';
import { messageOf } from '../../log/failure-text.js';
import { killGroup } from '../../tools/kill-group.js';
import { GIT_VARIABLES } from '../../tools/tool-environment.js';

/** The binary's target for each architecture, as npm's packages of Codex name it. */
const TARGETS: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'x86_64-unknown-linux-musl',
  arm64: 'aarch64-unknown-linux-musl',
};
/** Where its settings stand, read-only (`managed/home`), and where it may write; both are named in `managed/home/config.toml`. */
const HOME = '/opt/sandgate/runner/codex/home';
const STATE = '/tmp/codex';
const STDERR_TAIL_BYTES = 2_048;
/** The catalog is 0.7 MB in this version. */
const MAX_CATALOG_BYTES = 16 * 1024 * 1024;
const CATALOG_TIMEOUT_MS = 30_000;
const DRAIN_MS = 300;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export interface ProgramPaths {
  binary: string;
  home: string;
  state: string;
}

/** @throws Error on an architecture that Codex is not published for */
export function installedPaths(): ProgramPaths {
  const { arch } = process;
  const target = TARGETS[arch];
  if (target === undefined) throw new Error(`there is no Codex for ${arch}`);
  const vendor = join(HARNESS_INSIDE, 'node_modules/@openai', `codex-linux-${arch}`, 'vendor', target);
  return { binary: join(vendor, 'bin/codex'), home: HOME, state: STATE };
}

/** One `codex app-server` as a child of the runner. It inherits nothing: no variable and no descriptor of the runner is open in it. */
export class CodexProgram {
  #errors = Buffer.alloc(0);
  readonly #exited = Promise.withResolvers<string>();

  private constructor(private readonly child: Child) {
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = Buffer.concat([this.#errors, chunk]).subarray(-STDERR_TAIL_BYTES);
    });
    child.once('error', (error) => this.#exited.resolve(`it could not be started: ${messageOf(error)}`));
    child.once('exit', (code, signal) => {
      const how = code === null ? `it was killed by ${signal}` : `it ended with exit code ${code}`;
      void this.#drained().then(() => this.#exited.resolve(how));
    });
  }

  /** `argv` are the settings of this run; tokens come later, over standard input. */
  static start(paths: ProgramPaths, argv: string[], cwd: string, environment: Record<string, string>): CodexProgram {
    const child = spawn(paths.binary, ['app-server', '--strict-config', ...argv], {
      cwd,
      env: programEnvironment(paths, environment),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return new CodexProgram(child);
  }

  get input(): Writable {
    return this.child.stdin;
  }

  get output(): Readable {
    return this.child.stdout;
  }

  /** Settles with how it ended, in our own words, after its last output was read. */
  get exited(): Promise<string> {
    return this.#exited.promise;
  }

  /** The end of its standard error: its own words, for whoever has to fix it. */
  get lastWords(): string {
    return this.#errors.toString('utf8').trim().toWellFormed();
  }

  kill(): void {
    killGroup(this.child);
  }

  async #drained(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.child.once('close', () => resolve()));
    await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
  }
}

/** The models that the program knows, as `codex debug models` prints them. */
export async function readCatalog(paths: ProgramPaths, environment: Record<string, string>): Promise<unknown> {
  const { stdout } = await promisify(execFile)(paths.binary, ['debug', 'models'], {
    env: programEnvironment(paths, environment),
    cwd: paths.state,
    maxBuffer: MAX_CATALOG_BYTES,
    timeout: CATALOG_TIMEOUT_MS,
  });
  return JSON.parse(stdout);
}

/** A closed set: variables of the agent's revision are for tools and not for the program. The program starts git itself. */
function programEnvironment({ home }: ProgramPaths, environment: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME: account = '', TMPDIR = '', LANG = '', SHELL = '' } = environment;
  return {
    PATH,
    HOME: account,
    TMPDIR,
    LANG,
    SHELL,
    CODEX_HOME: home,
    RUST_LOG: 'error',
    NO_COLOR: '1',
    ...GIT_VARIABLES,
  };
}
