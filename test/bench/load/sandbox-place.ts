import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makePlaneDirectory, planeDirectory, planeRoot } from '../../../src/platform/host/plane-socket-path.js';
import { BubblewrapProvider } from '../../../src/platform/sandbox/bubblewrap/bubblewrap-provider.js';
import type { Host } from '../../../src/platform/sandbox/bubblewrap/host.js';
import { DockerProvider } from '../../../src/platform/sandbox/docker/docker-provider.js';
import { Engine } from '../../../src/platform/sandbox/docker/engine.js';
import type { SandboxProvider } from '../../../src/platform/sandbox/provider.js';
import type { RunRoomsOptions } from '../../../src/platform/sandbox/room/run-rooms.js';
import { findRoomAbilities } from '../../../src/platform/sandbox/room/try-room.js';
import type { UidAllocator } from '../../../src/platform/sandbox/uid-allocator.js';
import type { PodmanService } from '../../support/engine/podman-service.js';
import { TEST_IMAGE } from '../../support/engine/test-image.js';

const SIZES = { memory_mb: 512, cpus: 1, disk_mb: 256, pids: 128 };

/** A shell and nothing else: reports a passed self-check without starting Node. */
export const FIRST_COMMAND = 'echo passed; exec sleep 60';

/** Milliseconds until a run's workspace was there, and from then on until its sandbox's first command. */
export interface SandboxStart {
  workspace: number;
  launch: number;
}

/** Sandboxes without an installation and a record: a command of the shell stands where the runner would. */
export class SandboxPlace implements AsyncDisposable {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'sgb-')));
  private readonly rooms: Omit<RunRoomsOptions, 'host'>;
  private readonly providers: SandboxProvider[] = [];

  /** @param command its first word on standard output is the verdict of the self-check */
  constructor(command = FIRST_COMMAND) {
    this.rooms = {
      dataDir: this.folder,
      runtime: { version: 'bench', dir: programFolder(this.folder, command) },
      uids: new CountedUids(),
      programOf: () => Promise.resolve(null),
      planeOf: (runId) => planeDirectory(this.folder, runId),
    };
  }

  bubblewrap(host: Host): SandboxProvider {
    return this.keep(new BubblewrapProvider({ ...this.rooms, host }));
  }

  async docker(podman: PodmanService): Promise<SandboxProvider> {
    const engine = await Engine.open(podman.socket);
    return this.keep(
      new DockerProvider({
        ...{ ...this.rooms, engine, image: TEST_IMAGE, engineRuntime: null, deployment: basename(this.folder) },
        plane: { way: 'socket', listener: { host: '127.0.0.1', port: 1 } },
        host: findRoomAbilities(),
      }),
    );
  }

  /** Until its first command runs. */
  async start(provider: SandboxProvider, runId: string): Promise<SandboxStart> {
    await makePlaneDirectory(this.folder, runId);
    const start = performance.now();
    await provider.reserve(runId, SIZES);
    const workspace = performance.now() - start;
    const from = performance.now();
    await provider.provision({
      ...{ runId, harness: 'replay', sizes: SIZES, variables: {} },
      tokens: { control: 'none', tool: 'none', llm: 'none' },
    });
    return { workspace, launch: performance.now() - from };
  }

  /** A sandbox that an error left has mounts below the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const provider of this.providers) {
      for (const run of await provider.listRemains()) await provider.release(run);
    }
    for (const path of [planeRoot(this.folder), this.folder]) rmSync(path, { recursive: true, force: true });
  }

  private keep(provider: SandboxProvider): SandboxProvider {
    this.providers.push(provider);
    return provider;
  }
}

function programFolder(folder: string, command: string): string {
  const dir = join(folder, 'program');
  const program = join(dir, 'runner-node');
  mkdirSync(dir);
  writeFileSync(program, `#!/bin/sh\nexec >&"$SANDGATE_READY_FD"\n${command}\n`);
  for (const path of [dir, program]) chmodSync(path, 0o755);
  return dir;
}

class CountedUids implements UidAllocator {
  private next = 300_000;

  claim(): Promise<number> {
    return Promise.resolve(this.next++);
  }

  release(): Promise<void> {
    return Promise.resolve();
  }
}
