import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 60_000;
/** Podman raises limits to what a system allows at most, which fails where the limits are lower than that. */
const CONTAINERS = `[containers]
default_ulimits = ["nofile=16384:16384", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
`;

interface PodmanOptions {
  /** Where images and containers are kept; a folder of its own by default. */
  root?: string;
  /** Images that are only read. */
  store?: string;
  /** Containers may have networks, which takes netavark. */
  networks?: boolean;
}

/**
 * A container engine of a test's own: Podman with all its state in a folder, and a socket in it. Ending it leaves nothing of it running or
 * mounted.
 */
export class PodmanService implements AsyncDisposable {
  private child: ChildProcess | null = null;

  private constructor(
    readonly folder: string,
    private readonly root: string,
    private readonly networks: boolean,
  ) {}

  /** @param folder of its own, with a short path, because sockets are in it */
  static async start(
    folder: string,
    { root = join(folder, 'root'), store, networks = false }: PodmanOptions,
  ): Promise<PodmanService> {
    const service = new PodmanService(folder, root, networks);
    for (const path of [root, join(folder, 'run'), join(folder, 'tmp')]) mkdirSync(path, { recursive: true });
    writeFileSync(join(folder, 'containers.conf'), networks ? CONTAINERS + networksIn(folder) : CONTAINERS);
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
    const settings = Object.entries(this.environment).map(([name, value]) => `${name}='${value}'`);
    const argv = this.place.map((word) => `'${word}'`);
    writeFileSync(path, `#!/bin/sh\nexec env ${settings.join(' ')} podman ${argv.join(' ')} "$@"\n`, { mode: 0o755 });
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.podman('rm', '--all', '--force', '--time', '0', '--volumes');
    if (this.networks) this.podman('network', 'prune', '--force');
    // The storage library mounts its folder for itself.
    for (const path of mountsBelow([this.root, this.folder])) execFileSync('umount', ['-l', path]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get place(): string[] {
    return ['--tmpdir', join(this.folder, 'tmp')];
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

function networksIn(folder: string): string {
  return `[network]\nnetwork_backend = "netavark"\nnetwork_config_dir = "${join(folder, 'networks')}"\n`;
}

function storage(folder: string, root: string, store: string | undefined): string {
  const stores = store === undefined ? '' : `[storage.options]\nadditionalimagestores = ["${store}"]\n`;
  return `[storage]\ndriver = "overlay"\ngraphroot = "${root}"\nrunroot = "${join(folder, 'run')}"\n${stores}`;
}

/** Innermost first. */
function mountsBelow(folders: string[]): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)))
    .toReversed();
}
