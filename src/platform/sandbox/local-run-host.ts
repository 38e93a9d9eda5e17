import type { RunSpec } from '../../domain/run/spec.js';
import { listPlaneDirectories, makePlaneDirectory, removePlaneDirectory } from '../host/plane-socket-path.js';
import { waitForPlane } from '../host/wait-for-plane.js';
import { requireProgram, usableHarnesses } from '../packages/harnesses/installed-program.js';
import { assertToolsInstalled } from '../packages/tools/assert-installed.js';
import type { RunHost } from './run-host.js';

/**
 * A host whose sandboxes use what is installed in its own state folder, and reach their plane by a socket in a directory of it: for every
 * provider that can mount folders of this host.
 */
export class LocalRunHost implements RunHost {
  constructor(private readonly dataDir: string) {}

  usableHarnesses(): Promise<string[]> {
    return usableHarnesses(this.dataDir);
  }

  async assertInstalled({ harness, capabilities }: Pick<RunSpec, 'harness' | 'capabilities'>): Promise<void> {
    await assertToolsInstalled(this.dataDir, capabilities);
    await requireProgram(this.dataDir, harness);
  }

  async openPlane(runId: string): Promise<void> {
    await makePlaneDirectory(this.dataDir, runId);
  }

  awaitPlane(runId: string, signal: AbortSignal): Promise<void> {
    return waitForPlane(this.dataDir, runId, signal);
  }

  closePlane(runId: string): Promise<void> {
    return removePlaneDirectory(this.dataDir, runId);
  }

  listPlanes(): Promise<string[]> {
    return listPlaneDirectories(this.dataDir);
  }
}
