import type { RunSpec } from '../../domain/run/spec.js';

/**
 * What a host has for a run besides sandbox and workspace: the programs that it needs, the way to its runner plane
 * (docs/design/sandbox.md). Every operation is idempotent by run id.
 */
export interface RunHost {
  /** Ids of the harnesses that runs on this host can use. */
  usableHarnesses(): Promise<string[]>;
  /** Makes sure that harness and tools of a run are here, and are what was installed. @throws SandgateError `conflict` saying what to install */
  assertInstalled(spec: Pick<RunSpec, 'harness' | 'capabilities'>): Promise<void>;
  /** Makes the place where the runner of a run finds its plane; the API process of this host begins to serve it. */
  openPlane(runId: string): Promise<void>;
  /** Resolves when a runner would be answered there. @throws SandgateError `unavailable` after 30 s */
  awaitPlane(runId: string, signal: AbortSignal): Promise<void>;
  /** Ends that. Gone already is success. */
  closePlane(runId: string): Promise<void>;
  /** Runs whose plane has a place here. */
  listPlanes(): Promise<string[]>;
}
