import { join } from 'node:path';
import { HARNESS_INSIDE } from '../../../domain/harness/harness-program.js';
import { TOOLS_INSIDE } from '../../../domain/tools/tool-package.js';
import type { SandboxSizes } from '../../../domain/run/spec.js';
import type { SandboxSpec } from '../provider.js';
import type { Runtime } from '../runtime.js';
import type { SandboxShape } from './arguments.js';
import type { Host } from './host.js';
import { FD } from './launch-script.js';
import type { LaunchPlan } from './launch.js';
import type { LimitedLaunch } from './limits/limits.js';
import type { RunFolder } from './run-folder.js';

const MIB = 1024 * 1024;

/** Where things stand inside every sandbox. */
export const INSIDE = {
  runtime: '/opt/sandgate',
  runnerNode: '/opt/sandgate/runner-node',
  runner: '/opt/sandgate/runner/main.mjs',
  workspace: '/workspace',
  plane: '/run/sandgate',
  home: '/home/agent',
} as const;

/** What the runner finds in its environment; everything of the run itself comes by descriptor (docs/design/runner.md). */
const ENVIRONMENT = {
  PATH: '/opt/sandgate/node/bin:/usr/local/bin:/usr/bin:/bin',
  HOME: INSIDE.home,
  USER: 'agent',
  LOGNAME: 'agent',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
  SANDGATE_READY_FD: String(FD.ready),
};

/** Memory file systems count against the run's memory; together they cannot take all of it. */
export function scratchSizes(sizes: SandboxSizes): SandboxShape['sizes'] {
  const memory = sizes.memory_mb * MIB;
  return {
    root: MIB,
    run: MIB,
    tmp: Math.floor(memory / 2),
    home: Math.floor(memory / 4),
    shm: Math.min(64 * MIB, Math.floor(memory / 8)),
  };
}

/** Codex takes what no run may change from this place alone, and only its runs have it. */
function harnessSettings({ harness }: SandboxSpec, runtime: Runtime): SandboxShape['binds'] {
  if (harness !== 'codex') return [];
  return [{ source: join(runtime.dir, 'runner/codex/etc'), target: '/etc/codex', readOnly: true }];
}

/** Folders of one run that are mounted into its sandbox; there are no links on the way to them. */
export interface MountedFolders {
  /** Becomes `/workspace`. */
  workspace: string;
  /** Holds `plane.sock`; becomes `/run/sandgate`, read-only. */
  plane: string;
  /** The program of its harness; becomes `/opt/sandgate/harness`, read-only. */
  harness: string | null;
}

/** Decides the launch of one run's runner. Pure. */
export function runnerPlan(input: {
  spec: SandboxSpec;
  mounted: MountedFolders;
  folder: RunFolder;
  uid: number | null;
  limits: LimitedLaunch;
  host: Host;
  runtime: Runtime;
  /** Installed tool packages, or null where there are none. */
  toolsDir: string | null;
  disk: 'image' | 'folder';
}): LaunchPlan {
  const { spec, mounted, host } = input;
  return {
    folder: input.folder,
    bwrap: host.bwrap,
    mode: host.mode,
    uid: input.uid,
    filter: host.filter,
    limits: input.limits,
    fileBytes: input.disk === 'folder' ? spec.sizes.disk_mb * MIB : null,
    program: [INSIDE.runnerNode, INSIDE.runner],
    handOff: JSON.stringify({ variables: spec.variables, tokens: spec.tokens }),
    shape: {
      facts: host.facts,
      isolateNetwork: true,
      sizes: scratchSizes(spec.sizes),
      environment: ENVIRONMENT,
      workingFolder: INSIDE.workspace,
      binds: [
        { source: input.runtime.dir, target: INSIDE.runtime, readOnly: true, ours: true },
        ...(input.toolsDir === null ? [] : [{ source: input.toolsDir, target: TOOLS_INSIDE, readOnly: true }]),
        ...harnessSettings(spec, input.runtime),
        ...(mounted.harness === null ? [] : [{ source: mounted.harness, target: HARNESS_INSIDE, readOnly: true }]),
        { source: mounted.plane, target: INSIDE.plane, readOnly: true },
        { source: mounted.workspace, target: INSIDE.workspace, readOnly: spec.workspaceReadOnly === true },
      ],
    },
  };
}
