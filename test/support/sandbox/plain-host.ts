import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SandgateError } from '../../../src/domain/errors.js';
import { isMissing, isSystemError } from '../../../src/domain/system-error.js';
import { pathExists } from '../../../src/platform/host/path-exists.js';
import {
  identifyProcess,
  isAlive,
  killProcess,
  type ProcessIdentity,
} from '../../../src/platform/host/process-identity.js';
import { removeTree } from '../../../src/platform/host/remove-tree.js';
import type {
  ProviderReport,
  RunOutput,
  SandboxExit,
  SandboxHandle,
  SandboxProvider,
  SandboxSpec,
  SandboxState,
} from '../../../src/platform/sandbox/provider.js';
import type { WorkspaceFolders } from '../../../src/platform/workspace/index.js';

const RUNTIME = 'plain';
const OUTPUT_BYTES = 1024 * 1024;
const POLL_MS = 10;
const READY_TIMEOUT_MS = 30_000;
const DEATH_TIMEOUT_MS = 10_000;
/** `$0` is where the exit code goes, which outlives whoever started the runner. */
const KEEP_EXIT_CODE = '"$@"; code=$?; echo "$code" > "$0.new"; mv "$0.new" "$0"';

interface HandleAttributes {
  run: string;
  pid: number;
  start_time: number;
  boot_id: string;
}

interface PlainHostOptions {
  dataDir: string;
  /** The program of the runner with its arguments. */
  runner: readonly string[];
  /** The directory of a run that holds `plane.sock`. */
  planeOf: (runId: string) => string;
}

/**
 * A second provider: the runner is a child process as any other, isolated from nothing and limited in nothing. It shows that the port
 * promises no more than a provider can keep; no agent may ever run in it. All state is in files of `<data>/runs/<run>`.
 */
export class PlainHost implements SandboxProvider, WorkspaceFolders {
  readonly name = RUNTIME;

  constructor(private readonly options: PlainHostOptions) {}

  check(): Promise<ProviderReport> {
    return Promise.resolve({ ok: true, missing: [], notes: ['nothing is isolated'] });
  }

  async reserve(runId: string): Promise<void> {
    await mkdir(this.workspaceFolder(runId), { recursive: true });
  }

  workspaceFolder(runId: string): string {
    return this.file(runId, 'workspace');
  }

  async reopenWorkspace(runId: string): Promise<string | null> {
    const folder = this.workspaceFolder(runId);
    return (await pathExists(folder)) ? folder : null;
  }

  workspaceOwner(): Promise<null> {
    return Promise.resolve(null);
  }

  async provision(spec: SandboxSpec): Promise<SandboxHandle> {
    const { runId } = spec;
    const live = await this.findLive(runId);
    if (live !== null) return toHandle(runId, live);
    for (const name of ['ready', 'exit', 'end']) await rm(this.file(runId, name), { force: true });
    const identity = await this.launch(spec);
    await this.write(runId, 'process', JSON.stringify(identity));
    for (const deadline = Date.now() + READY_TIMEOUT_MS; ; await sleep(POLL_MS)) {
      const ended = !isAlive(identity);
      const verdict = (await this.read(runId, 'ready')) ?? '';
      if (verdict.startsWith('passed\n')) return toHandle(runId, identity);
      if (!ended && verdict === '' && Date.now() < deadline) continue;
      await this.killAll(runId);
      throw new SandgateError('sandbox_failed', `the runner did not start: ${verdict}`);
    }
  }

  async state(handle: SandboxHandle): Promise<SandboxState> {
    const { runId, identity } = fromHandle(handle);
    if (isAlive(identity)) return { phase: 'running' };
    return { phase: 'terminated', ...(await this.readExit(runId)) };
  }

  async waitForExit(handle: SandboxHandle, signal: AbortSignal): Promise<SandboxExit> {
    const { runId, identity } = fromHandle(handle);
    while (isAlive(identity)) await sleep(POLL_MS, undefined, { signal });
    await this.killAll(runId);
    return this.readExit(runId);
  }

  async terminate(handle: SandboxHandle): Promise<void> {
    const { runId, identity } = fromHandle(handle);
    if (isAlive(identity)) await this.write(runId, 'end', 'the sandbox was ended by Sandgate');
    await this.killAll(runId);
  }

  async listManaged(): Promise<{ runId: string; handle: SandboxHandle }[]> {
    const found = [];
    for (const runId of await this.listRemains()) {
      const identity = await this.findLive(runId);
      if (identity !== null) found.push({ runId, handle: toHandle(runId, identity) });
    }
    return found;
  }

  async listRemains(): Promise<string[]> {
    try {
      return await readdir(join(this.options.dataDir, 'runs'));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async release(runId: string): Promise<void> {
    await this.killAll(runId);
    await removeTree(join(this.options.dataDir, 'runs', runId));
  }

  async readOutput(runId: string): Promise<RunOutput> {
    const output = Buffer.from((await this.read(runId, 'output', 'latin1')) ?? '', 'latin1');
    return { bytes: output.subarray(-OUTPUT_BYTES), cut: output.length > OUTPUT_BYTES };
  }

  /** In a session of its own, so that it outlives this process. Tokens travel by a descriptor whose file has no name any more. */
  private async launch(spec: SandboxSpec): Promise<ProcessIdentity> {
    const { runId, tokens } = spec;
    const workspace = this.workspaceFolder(runId);
    const places = {
      SERVICE_WORKSPACE: workspace,
      SERVICE_PLANE_SOCKET: join(this.options.planeOf(runId), 'plane.sock'),
    };
    await this.write(runId, 'hand-off', JSON.stringify({ variables: { ...spec.variables, ...places }, tokens }));
    const descriptors = [
      openSync(this.file(runId, 'output'), 'w'),
      openSync(this.file(runId, 'hand-off'), 'r'),
      openSync(this.file(runId, 'ready'), 'a'),
    ] as const;
    await rm(this.file(runId, 'hand-off'));
    const [output, handOff, ready] = descriptors;
    const argv = ['-c', KEEP_EXIT_CODE, this.file(runId, 'exit'), ...this.options.runner];
    const child = spawn('/bin/sh', argv, {
      cwd: workspace,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', SANDGATE_READY_FD: '4' },
      detached: true,
      stdio: ['ignore', output, output, handOff, ready],
    });
    child.unref();
    descriptors.forEach(closeSync);
    const identity = identifyProcess(child.pid ?? 0);
    if (identity === undefined) throw new SandgateError('sandbox_failed', 'the runner could not be started');
    return identity;
  }

  private async findLive(runId: string): Promise<ProcessIdentity | null> {
    const text = await this.read(runId, 'process');
    if (text === null) return null;
    const identity = JSON.parse(text) as ProcessIdentity;
    return isAlive(identity) ? identity : null;
  }

  private async readExit(runId: string): Promise<SandboxExit> {
    const end = await this.read(runId, 'end');
    if (end !== null) return { exitCode: null, reason: end };
    const code = await this.read(runId, 'exit');
    if (code === null) return { exitCode: null, reason: 'the sandbox was killed from outside' };
    const exitCode = Number(code);
    return { exitCode, reason: exitCode === 0 ? 'the runner ended' : `the runner ended with exit code ${exitCode}` };
  }

  /** What a run started is known by the folder that it works in. */
  private async killAll(runId: string): Promise<void> {
    const folder = join(this.options.dataDir, 'runs', runId);
    for (const deadline = Date.now() + DEATH_TIMEOUT_MS; ; await sleep(POLL_MS)) {
      const living = processesIn(folder);
      if (living.length === 0) return;
      if (Date.now() > deadline) throw new SandgateError('sandbox_failed', `the processes of ${runId} do not end`);
      living.forEach(killProcess);
    }
  }

  private file(runId: string, name: string): string {
    return join(this.options.dataDir, 'runs', runId, name);
  }

  private async read(runId: string, name: string, encoding: BufferEncoding = 'utf8'): Promise<string | null> {
    try {
      return await readFile(this.file(runId, name), encoding);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** In one piece: whoever reads it may be another process. */
  private async write(runId: string, name: string, text: string): Promise<void> {
    const file = this.file(runId, name);
    await writeFile(`${file}.new`, text, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }
}

function processesIn(folder: string): ProcessIdentity[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const identity = workingFolder(pid).startsWith(`${folder}/`) ? identifyProcess(Number(pid)) : undefined;
    return identity !== undefined && isAlive(identity) ? [identity] : [];
  });
}

/** Of a process that is gone, is a zombie or belongs to somebody else there is none to be seen. */
function workingFolder(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENAMETOOLONG')) return '';
    throw error;
  }
}

function toHandle(runId: string, { pid, startTime, bootId }: ProcessIdentity): SandboxHandle {
  return {
    runtime: RUNTIME,
    external_id: `${runId}-${pid}`,
    attrs: { run: runId, pid, start_time: startTime, boot_id: bootId },
  };
}

function fromHandle({ runtime, attrs }: SandboxHandle): { runId: string; identity: ProcessIdentity } {
  if (runtime !== RUNTIME) throw new SandgateError('invalid_request', 'this is not a handle of the plain host');
  const { run, pid, start_time, boot_id } = attrs as unknown as HandleAttributes;
  return { runId: run, identity: { pid, startTime: start_time, bootId: boot_id } };
}
