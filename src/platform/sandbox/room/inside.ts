import type { SandboxSizes } from '../../../domain/run/spec.js';

const MIB = 1024 * 1024;

/** Where things stand inside every sandbox. */
export const INSIDE = {
  runtime: '/opt/sandgate',
  runnerNode: '/opt/sandgate/runner-node',
  runner: '/opt/sandgate/runner/main.mjs',
  workspace: '/workspace',
  plane: '/run/sandgate',
  /** Beneath it each cache of the host under its name. */
  caches: '/opt/caches',
  home: '/home/agent',
  /** Codex takes what no run may change from this place alone. */
  codexSettings: '/etc/codex',
} as const;

/** Names the descriptor on which the runner tells the verdict of its self-check. */
export const READY_VARIABLE = 'SANDGATE_READY_FD';

/** What the runner finds in its environment; everything of the run itself comes by descriptor (docs/design/runner.md). */
export const RUNNER_ENVIRONMENT = {
  PATH: '/opt/sandgate/node/bin:/usr/local/bin:/usr/bin:/bin',
  HOME: INSIDE.home,
  USER: 'agent',
  LOGNAME: 'agent',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
} as const;

/** Memory file systems of a sandbox, in bytes. */
export interface ScratchSizes {
  root: number;
  tmp: number;
  /** Null where a folder of the run takes its place. */
  home: number | null;
  run: number;
  shm: number;
}

/** They count against the run's memory; together they cannot take all of it. */
export function scratchSizes(sizes: SandboxSizes, keepsHome = false): ScratchSizes {
  const memory = sizes.memory_mb * MIB;
  return {
    root: MIB,
    run: MIB,
    tmp: Math.floor(memory / 2),
    home: keepsHome ? null : Math.floor(memory / 4),
    shm: Math.min(64 * MIB, Math.floor(memory / 8)),
  };
}
