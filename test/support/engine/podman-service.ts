import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMissing, isSystemError } from '../../../src/domain/system-error.js';

const START_MS = 60_000;
/** Until what is ending by itself has ended. */
const SETTLE_MS = 10_000;
/** Podman raises limits to what a system allows at most, which fails where the limits are lower than that. */
const settings = (folder: string): string => `[containers]
default_ulimits = ["nofile=16384:16384", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
[network]
network_backend = "netavark"
network_config_dir = "${join(folder, 'networks')}"
`;

interface PodmanOptions {
  /** Where images and containers are kept; a folder of its own by default. */
  root?: string;
  /** Images that are only read. */
  store?: string;
  /** Path of the program that runs containers, in place of `runc`. */
  runtime?: string;
}

/**
 * A container engine of a test's own: Podman with all its state in a folder, and a socket in it. Ending it leaves nothing of it running or
 * mounted.
 */
export class PodmanService implements AsyncDisposable {
  private child: ChildProcess | null = null;
  /** Ids of containers. */
  private readonly seen = new Set<string>();

  private constructor(
    readonly folder: string,
    private readonly root: string,
    private readonly runtime: string | undefined,
  ) {}

  /** @param folder of its own, with a short path, because sockets are in it */
  static async start(folder: string, options: PodmanOptions): Promise<PodmanService> {
    const { root = join(folder, 'root'), store, runtime } = options;
    const service = new PodmanService(folder, root, runtime);
    for (const path of [root, join(folder, 'run'), join(folder, 'tmp')]) mkdirSync(path, { recursive: true });
    writeFileSync(join(folder, 'containers.conf'), settings(folder));
    writeFileSync(join(folder, 'storage.conf'), storage(folder, root, store));
    await service.begin();
    return service;
  }

  get socket(): string {
    return join(this.folder, 'engine.sock');
  }

  /** Starts the program; containers that an earlier one left go on. */
  async begin(): Promise<void> {
    rmSync(this.socket, { force: true });
    const argv = ['system', 'service', '--time', '0', `unix://${this.socket}`];
    const child = spawn('podman', [...this.place, ...argv], {
      env: this.environment,
      stdio: 'ignore',
      cwd: this.folder,
    });
    this.child = child;
    for (const deadline = Date.now() + START_MS; !(await this.answers()); await sleep(20)) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error('the Podman service does not start');
    }
  }

  /** Kills the program alone, as a crash would. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    rmSync(this.socket, { force: true });
  }

  /** Leaves a name taken in the store alone, as a service does that dies while it makes a container, and starts it again. */
  async strand(name: string, image: string): Promise<void> {
    await this.kill();
    const known = join(this.root, 'libpod', 'bolt_state.db');
    copyFileSync(known, `${known}.before`);
    this.podman('create', '--name', name, image, '/bin/true');
    renameSync(`${known}.before`, known);
    await this.begin();
  }

  /** Runs `podman` on the state of this service. @returns what it printed */
  podman(...argv: string[]): string {
    return execFileSync('podman', [...this.place, ...argv], {
      env: this.environment,
      encoding: 'utf8',
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** A program that is `podman` on the state of this service, for those that call it. */
  get program(): string {
    const path = join(this.folder, 'podman');
    const variables = Object.entries(this.environment).map(([name, value]) => `${name}='${value}'`);
    const argv = this.place.map((word) => `'${word}'`);
    writeFileSync(path, `#!/bin/sh\nexec env ${variables.join(' ')} podman ${argv.join(' ')} "$@"\n`, { mode: 0o755 });
    return path;
  }

  /** Names of its containers, ended ones too. */
  containers(): string[] {
    const lines = this.podman('ps', '--all', '--no-trunc', '--format', '{{.ID}} {{.Names}}')
      .split('\n')
      .filter(Boolean);
    const listed = lines.map((line) => line.split(' '));
    for (const [id = ''] of listed) this.seen.add(id);
    return listed.map(([, name = '']) => name);
  }

  /** Cgroups of containers that {@link containers} has named once and that are gone. */
  strayCgroups(): string[] {
    const alive = this.podman('ps', '--all', '--no-trunc', '--quiet');
    const gone = [...this.seen].filter((id) => !alive.includes(id));
    const found = execFileSync('sh', ['-c', 'find /sys/fs/cgroup -type d -name "libpod-*" 2> /dev/null || :']);
    return found
      .toString()
      .split('\n')
      .filter((group) => gone.some((id) => group.includes(id)));
  }

  /** Pid, on the host, of the first process of a container. */
  pidOf(container: string): number {
    return Number(this.podman('inspect', '--format', '{{.State.Pid}}', container));
  }

  /** Pid of what the engine leaves beside a container to watch it. */
  monitorOf(container: string): number {
    return Number(this.podman('inspect', '--format', '{{.State.ConmonPid}}', container));
  }

  /** Goes on behind a step that fails, so that one leaves as little as it can. @throws what failed, all of it */
  async [Symbol.asyncDispose](): Promise<void> {
    const failed: unknown[] = [];
    for (const step of [
      () => this.kill(),
      () => this.podman('rm', '--all', '--force', '--time', '0', '--volumes'),
      () => this.podman('network', 'prune', '--force'),
      () => this.endRest(),
      () => this.removeFolders(),
    ]) {
      try {
        await step();
      } catch (error) {
        failed.push(error);
      }
    }
    if (failed.length === 1) throw failed[0];
    if (failed.length > 1) throw new AggregateError(failed, failed.map(String).join('\n'));
  }

  /** What each container's end starts lives on beside the service, and mounts the storage anew. */
  private async endRest(): Promise<void> {
    for (const deadline = Date.now() + SETTLE_MS; ; await sleep(50)) {
      const left = processesNaming(this.folder);
      if (left.length === 0) return;
      if (Date.now() < deadline) continue;
      for (const pid of left) endProcess(pid);
      return;
    }
  }

  /** The storage library mounts its folder for itself; a program of it that is just ending may still hold it for a moment. */
  private async removeFolders(): Promise<void> {
    for (const deadline = Date.now() + SETTLE_MS; ; await sleep(50)) {
      try {
        for (const path of mountsBelow([this.root, this.folder])) execFileSync('umount', ['-l', path]);
        rmSync(this.folder, { recursive: true, force: true });
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
    }
  }

  private get place(): string[] {
    return ['--tmpdir', join(this.folder, 'tmp'), ...(this.runtime === undefined ? [] : ['--runtime', this.runtime])];
  }

  private get environment(): NodeJS.ProcessEnv {
    return {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: this.folder,
      CONTAINERS_CONF: join(this.folder, 'containers.conf'),
      CONTAINERS_STORAGE_CONF: join(this.folder, 'storage.conf'),
    };
  }

  private answers(): Promise<boolean> {
    if (!existsSync(this.socket)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const socket = connect(this.socket);
      const settle = (accepted: boolean): void => {
        socket.destroy();
        resolve(accepted);
      };
      socket.once('connect', () => settle(true)).once('error', () => settle(false));
    });
  }
}

function storage(folder: string, root: string, store: string | undefined): string {
  const stores = store === undefined ? '' : `[storage.options]\nadditionalimagestores = ["${store}"]\n`;
  return `[storage]\ndriver = "overlay"\ngraphroot = "${root}"\nrunroot = "${join(folder, 'run')}"\n${stores}`;
}

/** Processes with a folder in their command line; such as the engine's, whose every program is told where its state is. */
function processesNaming(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => commandLine(name).includes(`${folder}/`))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch (error) {
    if (isMissing(error) || isSystemError(error, 'ESRCH')) return '';
    throw error;
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!isSystemError(error, 'ESRCH')) throw error;
  }
}

/** Innermost first. */
function mountsBelow(folders: string[]): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)))
    .toReversed();
}
