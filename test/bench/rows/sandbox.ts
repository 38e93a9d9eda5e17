import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePlaneDirectory, planeDirectory, planeRoot } from '../../../src/platform/host/plane-socket-path.js';
import { BubblewrapProvider } from '../../../src/platform/sandbox/bubblewrap/bubblewrap-provider.js';
import { findHost } from '../../../src/platform/sandbox/bubblewrap/host.js';
import type { UidAllocator } from '../../../src/platform/sandbox/uid-allocator.js';
import { rawBubblewrap } from '../load/first-output.js';
import { spreadOf } from '../load/percentiles.js';
import { atMost } from '../row.js';
import type { AloneRow } from './bench-row.js';

const SIZES = { memory_mb: 512, cpus: 1, disk_mb: 256, pids: 128 };
/** In place of the runner: it reports a passed self-check without starting Node. */
const PROGRAM = '#!/bin/sh\necho passed >&"$SANDGATE_READY_FD"\nexec sleep 5\n';

/** Sandbox create → first command of the provider, against bubblewrap called by hand. */
export const sandbox: AloneRow = {
  name: 'sandbox-create',
  timeoutMs: 60_000,
  async measureAlone({ quick }) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sgb-')));
    try {
      return await measureIn(folder, quick ? 3 : 30);
    } finally {
      for (const path of [planeRoot(folder), folder]) rmSync(path, { recursive: true, force: true });
    }
  },
};

async function measureIn(folder: string, count: number) {
  const host = await findHost();
  const runtime = { version: 'bench', dir: programFolder(folder) };
  const provider = new BubblewrapProvider({
    ...{ dataDir: folder, host, runtime, uids: new CountedUids() },
    programOf: () => Promise.resolve(null),
    planeOf: (runId) => planeDirectory(folder, runId),
  });
  const [launches, workspaces, raw]: number[][] = [[], [], []];
  for (let index = -2; index < count; index += 1) {
    const { workspace, launch } = await createOne(provider, folder, `bench-${index + 2}`);
    const bare = await rawBubblewrap();
    if (index < 0) continue;
    launches!.push(launch);
    workspaces!.push(workspace);
    raw!.push(bare);
  }
  const [ours, workspace, baseline] = [spreadOf(launches!), spreadOf(workspaces!), spreadOf(raw!)];
  return {
    values: {
      p50: ours.p50,
      p99: ours.p99,
      ratio: ours.p50 / baseline.p50,
      workspace_p50: workspace.p50,
    },
    unit: { p50: 'ms', p99: 'ms', ratio: '× raw bubblewrap', workspace_p50: 'ms' },
    baseline: { p50: baseline.p50, p99: baseline.p99 },
    targets: [atMost('create → first command', ours.p50, 3 * baseline.p50, 'ms')],
    notes: [
      `limits by ${host.limiter.kind}, mode ${host.mode}; the run's ${host.hasLoopDisks ? 'sized disk (made, formatted, mounted)' : 'folder'} is apart, as workspace_p50`,
      'the first command stands where the runner would; @anthropic-ai/sandbox-runtime is in bench:peers',
    ],
  };
}

async function createOne(
  provider: BubblewrapProvider,
  folder: string,
  runId: string,
): Promise<{ workspace: number; launch: number }> {
  await makePlaneDirectory(folder, runId);
  const start = performance.now();
  await provider.reserve(runId, SIZES);
  const workspace = performance.now() - start;
  const from = performance.now();
  await provider.provision({
    runId,
    harness: 'replay',
    sizes: SIZES,
    variables: {},
    tokens: { control: 'none', tool: 'none', llm: 'none' },
  });
  const launch = performance.now() - from;
  await provider.release(runId);
  return { workspace, launch };
}

function programFolder(folder: string): string {
  const dir = join(folder, 'program');
  mkdirSync(dir);
  writeFileSync(join(dir, 'runner-node'), PROGRAM);
  for (const path of [dir, join(dir, 'runner-node')]) chmodSync(path, 0o755);
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
