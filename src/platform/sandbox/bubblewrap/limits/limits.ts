import type { SandboxSizes } from '../../../../domain/run/spec.js';

/** How a run's limits were set, so that another process can remove them. */
export type LimitRecord =
  | { kind: 'cgroup-v1' | 'cgroup-v2'; groups: string[] }
  | { kind: 'systemd-scope'; unit: string }
  /** RLIMITs and the sampler of supervision: a determined program can overstep them for a moment. */
  | { kind: 'soft' };

/** What the launch must do so that the sandbox starts under its limits. */
export interface LimitedLaunch {
  record: LimitRecord;
  /** `cgroup.procs` files that the launching shell enters before it starts bubblewrap. */
  join: string[];
  /** Command that the launcher is started through. */
  wrapper: string[];
  /** Bytes of private memory for each process; null where a cgroup counts all of them together. */
  dataBytes: number | null;
  /** Processes of the sandbox; null where a cgroup counts them. */
  processes: number | null;
}

/** One way to bound memory, processes and CPU (docs/design/sandbox.md). */
export interface Limiter {
  readonly kind: LimitRecord['kind'];
  prepare(runId: string, sizes: SandboxSizes): Promise<LimitedLaunch>;
}

/** bubblewrap outside and inside, and the shell that sets the process limit. */
export const OWN_PROCESSES = 4;
