import { findHost } from '../../../src/platform/sandbox/bubblewrap/host.js';
import { rawBubblewrap } from '../load/first-output.js';
import { spreadOf } from '../load/percentiles.js';
import { SandboxPlace } from '../load/sandbox-place.js';
import { atMost } from '../row.js';
import type { AloneRow } from './bench-row.js';

/** Sandbox create → first command of the provider, against bubblewrap called by hand. */
export const sandbox: AloneRow = {
  name: 'sandbox-create',
  timeoutMs: 60_000,
  async measureAlone({ quick }) {
    await using place = new SandboxPlace();
    return await measureIn(place, quick ? 3 : 30);
  },
};

async function measureIn(place: SandboxPlace, count: number) {
  const host = await findHost();
  const provider = place.bubblewrap(host);
  const [launches, workspaces, raw]: number[][] = [[], [], []];
  for (let index = -2; index < count; index += 1) {
    const runId = `bench-${index + 2}`;
    const { workspace, launch } = await place.start(provider, runId);
    await provider.release(runId);
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
