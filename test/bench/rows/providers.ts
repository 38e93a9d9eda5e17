import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { findHost } from '../../../src/platform/sandbox/bubblewrap/host.js';
import type { SandboxProvider } from '../../../src/platform/sandbox/provider.js';
import { startEngine } from '../../support/engine/image-store.js';
import type { PodmanService } from '../../support/engine/podman-service.js';
import { placeRunsc } from '../../support/engine/runsc.js';
import { TEST_IMAGE } from '../../support/engine/test-image.js';
import { removeContainer, startBareContainer } from '../load/bare-container.js';
import { spreadOf } from '../load/percentiles.js';
import { memoryOf } from '../load/resident-memory.js';
import { FIRST_COMMAND, SandboxPlace } from '../load/sandbox-place.js';
import type { AloneRow } from './bench-row.js';

/** Until whatever helped to start something has ended. */
const SETTLE_MS = 500;

/** What a sandbox of each provider takes to start, and of memory while it does nothing; nobody promises any of it. */
export const providers: AloneRow = {
  name: 'providers',
  timeoutMs: 300_000,
  async measureAlone({ full, quick }) {
    const rounds = quick ? 1 : full ? 15 : 7;
    await using bubblewrap = new SandboxPlace();
    await using runc = await startEngine();
    await using runsc = await startEngine(TEST_IMAGE, placeRunsc(bubblewrap.folder));
    // Behind its engine, because what is last ends first.
    await using docker = new SandboxPlace();
    const ways: Record<string, () => Promise<Started>> = {
      bubblewrap: sandboxOf(bubblewrap, bubblewrap.bubblewrap(await findHost())),
      docker_runc: sandboxOf(docker, await docker.docker(runc)),
      bare_runc: containerOf(runc),
      bare_runsc: containerOf(runsc),
    };
    const measured = new Map(Object.keys(ways).map((name) => [name, new Measured()]));
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, start] of Object.entries(ways)) {
        const started = await start();
        if (round >= 0) measured.get(name)?.starts.push(started.took);
        await sleep(SETTLE_MS);
        if (round >= 0) measured.get(name)?.memory.push(memoryOf(started.name));
        await started.end();
      }
    }
    const [values, baseline] = [figuresOf(measured, /^(bubblewrap|docker)/), figuresOf(measured, /^bare/)];
    return {
      ...{ values, baseline, targets: [] },
      unit: Object.fromEntries(Object.keys(values).map((name) => [name, name.endsWith('_memory') ? 'MiB' : 'ms'])),
      notes: [
        'a start is create → first command, or the answers to `create` and `start` of a bare container; all ways take turns',
        'memory is that of a sandbox in which a shell’s child sleeps, and of what stands beside it on the host, in shared parts: what a runner and an agent take comes on top, the same everywhere',
        'the provider refuses runsc (docs/design/docker.md), so that is a bare container: ptrace platform, no cgroups',
      ],
    };
  },
};

class Measured {
  readonly starts: number[] = [];
  readonly memory: number[] = [];
}

interface Started {
  took: number;
  /** Stands on the command line of what runs for it on the host. */
  name: string;
  end: () => Promise<void>;
}

function sandboxOf(place: SandboxPlace, provider: SandboxProvider): () => Promise<Started> {
  return async () => {
    const name = randomUUID();
    const { launch } = await place.start(provider, name);
    return { took: launch, name, end: () => provider.release(name) };
  };
}

function containerOf(engine: PodmanService): () => Promise<Started> {
  return async () => {
    const { id, took } = await startBareContainer(engine, TEST_IMAGE, FIRST_COMMAND);
    return { took, name: id, end: () => removeContainer(engine, id) };
  };
}

/** Medians. */
function figuresOf(measured: ReadonlyMap<string, Measured>, wanted: RegExp): Record<string, number> {
  const chosen = [...measured].filter(([name]) => wanted.test(name));
  return Object.fromEntries(
    chosen.flatMap(([name, { starts, memory }]) => [
      [`${name}_start`, spreadOf(starts).p50],
      [`${name}_memory`, spreadOf(memory).p50],
    ]),
  );
}
