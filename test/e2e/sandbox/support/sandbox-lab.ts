import { execFile, spawn } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { SANDBOX_UID_BASE } from '../../../support/installation/own-place.js';
import { planeRoot } from '../../../../src/platform/host/plane-socket-path.js';
import type { Step } from './probe-host.js';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../../..');
const NOBODY = 65534;
const STEPS_TIMEOUT_MS = 300_000;

/** How sandboxes are made: by bubblewrap, started by root or by a user, by a container engine, or not at all, by the plain host. */
export type LabMode = 'root' | 'user' | 'docker' | 'plain';

/** The modes of bubblewrap that this machine allows: as root both, the second by becoming an unprivileged user first. */
export const MODES: LabMode[] = process.getuid?.() === 0 ? ['root', 'user'] : ['user'];

export interface StepResult {
  value?: unknown;
  error?: string;
}

/** What a step answered, in the form that its kind has. @throws Error with the reason of one that failed */
export function answerOf<Answer>(result: StepResult | undefined): Answer {
  if (result?.value === undefined) throw new Error(result?.error ?? 'the step was not performed');
  return result.value as Answer;
}

/**
 * A data folder with a provider, driven by a process of its own, because whose process it is decides the mode. Programs
 * are bundled, so that an unprivileged user can run them wherever the checkout is.
 */
export class SandboxLab implements AsyncDisposable {
  private constructor(
    readonly mode: LabMode,
    readonly folder: string,
    readonly dataDir: string,
    readonly nodeBinary: string,
    /** Path of the engine's socket, where there is one. */
    readonly engine: string,
  ) {}

  static async open(mode: LabMode, engine = ''): Promise<SandboxLab> {
    const folder = mkdtempSync(join(tmpdir(), `sandgate-lab-${mode}-`));
    const lab = new SandboxLab(mode, folder, join(folder, 'data'), join(folder, 'node'), engine);
    chmodSync(folder, 0o755);
    mkdirSync(lab.dataDir, { mode: 0o700 });
    // The machine's Node may stand in a folder that an unprivileged user cannot enter.
    copyFileSync(process.execPath, lab.nodeBinary);
    chmodSync(lab.nodeBinary, 0o755);
    await Promise.all([
      bundle('probe-host.ts', join(folder, 'probe-host.mjs')),
      bundle('probe-runner.ts', lab.runnerBundle),
    ]);
    if (lab.drops) chownSync(lab.dataDir, NOBODY, NOBODY);
    return lab;
  }

  /** What an engine tells its containers from those of others by. */
  get deployment(): string {
    return basename(this.folder);
  }

  /** Alone in its folder, all of which is staged. */
  get runnerBundle(): string {
    return join(this.folder, 'runner', 'main.mjs');
  }

  /** True where the lab must give up root first. */
  get drops(): boolean {
    return this.mode === 'user' && process.getuid?.() === 0;
  }

  /** Performs the steps in one fresh process and answers their results in order. */
  async perform(steps: Step[], env: Record<string, string> = {}): Promise<StepResult[]> {
    const [program = '', ...args] = this.command(steps);
    const { stdout } = await run(program, args, {
      env: this.environment(env),
      timeout: STEPS_TIMEOUT_MS,
      maxBuffer: 64 << 20,
    });
    return stdout
      .split('\n')
      .filter((line) => line.startsWith('RESULT '))
      .map((line) => JSON.parse(line.slice('RESULT '.length)) as StepResult);
  }

  /** Performs steps in a process that is killed with SIGKILL after the first result. */
  async performAndDie(steps: Step[]): Promise<StepResult> {
    const [program = '', ...args] = this.command([...steps, { do: 'hang' }]);
    const child = spawn(program, args, { env: this.environment({}), stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    for await (const chunk of child.stdout) {
      output += String(chunk);
      const line = output
        .split('\n')
        .slice(0, -1)
        .find((one) => one.startsWith('RESULT '));
      if (line === undefined) continue;
      child.kill('SIGKILL');
      return JSON.parse(line.slice('RESULT '.length)) as StepResult;
    }
    throw new Error(`the process ended without a result: ${output}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.resolve();
    for (const folder of [planeRoot(this.dataDir), this.folder]) rmSync(folder, { recursive: true, force: true });
  }

  private command(steps: Step[]): string[] {
    const program = [
      this.nodeBinary,
      join(this.folder, 'probe-host.mjs'),
      this.mode,
      this.dataDir,
      this.runnerBundle,
      JSON.stringify(steps),
    ];
    return this.drops
      ? ['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups', '--', ...program]
      : program;
  }

  private environment(env: Record<string, string>): Record<string, string> {
    const uids = {
      SERVICE_SANDBOX_UID_BASE: String(SANDBOX_UID_BASE),
      PROBE_ENGINE: this.engine,
      PROBE_DEPLOYMENT: this.deployment,
    };
    return { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: this.folder, ...uids, ...env };
  }
}

async function bundle(entryName: string, outfile: string): Promise<void> {
  const entry = join(import.meta.dirname, entryName);
  const options = [
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--target=node24',
    // What the client of container engines brings is no module of the new kind.
    `--banner:js=import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); const __dirname = import.meta.dirname;`,
    '--external:cpu-features',
    '--external:*.node',
    '--log-level=error',
    `--outfile=${outfile}`,
  ];
  await run(process.execPath, [join(ROOT, 'node_modules/esbuild/bin/esbuild'), entry, ...options], {
    timeout: 120_000,
  });
}
