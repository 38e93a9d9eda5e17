import { startEngine } from '../../support/engine/image-store.js';
import { TEST_IMAGE } from '../../support/engine/test-image.js';
import { removeContainer, startBareContainer } from '../load/bare-container.js';
import { spreadOf } from '../load/percentiles.js';
import { FIRST_COMMAND, SandboxPlace } from '../load/sandbox-place.js';
import { atMost } from '../row.js';
import type { AloneRow } from './bench-row.js';

const LIMIT = 1.5;

/** Sandbox create → first command in a container, against `create` and `start` of the same engine and image. */
export const containerStart: AloneRow = {
  name: 'container-start',
  // The image is made once for a machine.
  timeoutMs: 300_000,
  async measureAlone({ quick }) {
    await using engine = await startEngine();
    await using place = new SandboxPlace();
    const provider = await place.docker(engine);
    const [launches, bare]: [number[], number[]] = [[], []];
    for (let index = -2; index < (quick ? 2 : 25); index += 1) {
      const runId = `bench-${index + 2}`;
      const { launch } = await place.start(provider, runId);
      await provider.release(runId);
      const container = await startBareContainer(engine, TEST_IMAGE, FIRST_COMMAND);
      await removeContainer(engine, container.id);
      if (index < 0) continue;
      launches.push(launch);
      bare.push(container.took);
    }
    const [ours, baseline] = [spreadOf(launches), spreadOf(bare)];
    return {
      values: { p50: ours.p50, p99: ours.p99, ratio: ours.p50 / baseline.p50 },
      unit: { p50: 'ms', p99: 'ms', ratio: '× bare create + start' },
      baseline: { p50: baseline.p50, p99: baseline.p99 },
      targets: [atMost('create → first command', ours.p50, LIMIT * baseline.p50, 'ms')],
      notes: [
        'Podman with runc; the two alternate. The bare container has no network, limits, mounts or filter of ours, and its time ends with the answer to `start`',
        'the first command stands where the runner would',
      ],
    };
  },
};
