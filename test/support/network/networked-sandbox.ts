import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { buildRunnerEnvironment } from '../../../src/domain/run/runner-environment.js';
import type { RunSpec } from '../../../src/domain/run/spec.js';
import {
  makePlaneDirectory,
  planeDirectory,
  planeRoot,
  planeSocketAccepts,
} from '../../../src/platform/host/plane-socket-path.js';
import { BubblewrapProvider } from '../../../src/platform/sandbox/bubblewrap/bubblewrap-provider.js';
import { findHost } from '../../../src/platform/sandbox/bubblewrap/host.js';
import { DockerProvider } from '../../../src/platform/sandbox/docker/docker-provider.js';
import { Engine } from '../../../src/platform/sandbox/docker/engine.js';
import { findRoomAbilities } from '../../../src/platform/sandbox/room/try-room.js';
import { stageRuntime } from '../../../src/platform/sandbox/runtime.js';
import type { UidAllocator } from '../../../src/platform/sandbox/uid-allocator.js';
import type { Database } from '../../../src/core/record/database.js';
import { endEngineOf, engineOf } from '../engine/test-provider.js';
import { TOOLS_IMAGE } from '../engine/test-image.js';
import { readRows } from '../gate/gated-run.js';
import { SANDBOX_UID_BASE } from '../installation/own-place.js';
import type { FixtureRun } from '../runs/run-fixture.js';
import { until } from '../time/until.js';

const SIZES = { memory_mb: 1024, cpus: 2, disk_mb: 256, pids: 256 };

/** What one command said, and how it ended. */
export interface Said {
  code: number;
  text: string;
}

/** Real sandboxes with our built runner, beside a control plane that the test has started on the same data folder. */
export class NetworkedSandboxes {
  private constructor(
    readonly dataDir: string,
    private readonly provider: BubblewrapProvider | DockerProvider,
  ) {}

  static async open(): Promise<NetworkedSandboxes> {
    const folder = mkdtempSync(join(tmpdir(), 'sg-network-'));
    chmodSync(folder, 0o755);
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    const runtime = await stageRuntime(dataDir, { runnerBundle: resolve('dist/runner/main.mjs') });
    let uid = SANDBOX_UID_BASE;
    const claimed = new Map<string, number>();
    const uids: UidAllocator = {
      claim: (run) => Promise.resolve(claimed.get(run) ?? (claimed.set(run, (uid += 1)), uid)),
      release: (run) => Promise.resolve(void claimed.delete(run)),
    };
    const rooms = {
      ...{ dataDir, runtime, uids },
      programOf: () => Promise.resolve(null),
      planeOf: (run: string) => planeDirectory(dataDir, run),
    };
    const podman = await engineOf(dataDir);
    if (podman === null)
      return new NetworkedSandboxes(dataDir, new BubblewrapProvider({ ...rooms, host: await findHost() }));
    const engine = await Engine.open(podman.socket);
    const on = { engine, image: TOOLS_IMAGE, engineRuntime: null, deployment: basename(folder) };
    const plane = { way: 'socket' as const, listener: { host: '127.0.0.1', port: 1 } };
    return new NetworkedSandboxes(dataDir, new DockerProvider({ ...rooms, ...on, plane, host: findRoomAbilities() }));
  }

  /**
   * Runs commands one after the other, each by the tool `Bash` of the harness `replay`, and answers what they said. `files` are
   * put into the workspace beforehand.
   */
  async run(
    db: Database,
    run: FixtureRun,
    commands: readonly string[],
    files: Record<string, string>,
  ): Promise<Said[]> {
    const [row] = await readRows<{ run_spec: RunSpec }>(db, run, 'select run_spec from sessions where id = $1');
    if (row === undefined) throw new Error('no such run');
    const steps = commands.map((command, index) => ({
      tool: 'Bash',
      input: { command: `( ${command}\n) > said-${index} 2>&1 < /dev/null; echo $? > code-${index}` },
      timeout_ms: 60_000,
    }));
    const spec: RunSpec = { ...row.run_spec, harness: 'replay', task: JSON.stringify(steps) };
    await makePlaneDirectory(this.dataDir, run.runId);
    await until(
      () => planeSocketAccepts(this.dataDir, run.runId, 500),
      (accepts) => accepts,
    );
    await this.provider.reserve(run.runId, SIZES);
    const workspace = this.provider.rooms.workspaceFolder(run.runId);
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(workspace, name), text, { mode: 0o644 });
    }
    const handle = await this.provider.provision({
      ...{ runId: run.runId, harness: 'replay', sizes: SIZES, tokens: run.tokens },
      variables: { ...buildRunnerEnvironment(run.runId, spec), SERVICE_REPLAY_DELAY_MS: '0' },
    });
    const exit = await this.provider.waitForExit(handle, AbortSignal.timeout(600_000));
    const said = commands.map((_command, index) => readSaid(workspace, index));
    if (said.some((one) => one === null)) {
      const output = (await this.provider.readOutput(run.runId)).bytes.toString();
      throw new Error(`the runner ended early (${exit.reason}): ${readdirSync(workspace).join(' ')}\n${output}`);
    }
    await this.provider.release(run.runId);
    return said.filter((one) => one !== null);
  }

  async close(): Promise<void> {
    for (const run of await this.provider.listRemains()) await this.provider.release(run);
    await endEngineOf(this.dataDir);
    for (const folder of [planeRoot(this.dataDir), resolve(this.dataDir, '..')])
      rmSync(folder, { recursive: true, force: true });
  }
}

function readSaid(workspace: string, index: number): Said | null {
  try {
    const code = Number(readFileSync(join(workspace, `code-${index}`), 'utf8'));
    return { code, text: readFileSync(join(workspace, `said-${index}`), 'utf8') };
  } catch {
    return null;
  }
}
