import type { SandboxSpec } from '../provider.js';
import { INSIDE, READY_VARIABLE, RUNNER_ENVIRONMENT, scratchSizes } from '../room/inside.js';
import { runMounts, type MountedFolders } from '../room/run-mounts.js';
import type { Host } from './host.js';
import { FD } from './launch-script.js';
import type { LaunchPlan } from './launch.js';
import type { LimitedLaunch } from './limits/limits.js';
import type { LaunchFolder } from './launch-folder.js';

const MIB = 1024 * 1024;

/** Decides the launch of one run's runner. Pure. */
export function runnerPlan(input: {
  spec: SandboxSpec;
  mounted: MountedFolders;
  folder: LaunchFolder;
  uid: number | null;
  limits: LimitedLaunch;
  host: Host;
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
      sizes: scratchSizes(spec.sizes, mounted.home !== null),
      environment: { ...RUNNER_ENVIRONMENT, [READY_VARIABLE]: String(FD.ready) },
      workingFolder: INSIDE.workspace,
      binds: runMounts(spec, mounted),
    },
  };
}
