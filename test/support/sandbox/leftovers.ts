import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PodmanService } from '../engine/podman-service.js';

const SETTLE_MS = 30_000;

/** Where sandboxes may leave something behind. */
export interface SandboxPlace {
  /** A folder that no process names but sandboxes and what serves them. */
  folder: string;
  /** Whether a run is one of this place; others on this machine have theirs. */
  isRun: (name: string) => boolean;
  /** Where the sandboxes are containers. */
  engine?: PodmanService;
}

/** Everything on the host that still names the place: processes, and with them their namespaces, mounts, loop devices, cgroups. */
export function findLeftovers({ folder, isRun, engine }: SandboxPlace): string[] {
  const processes = execFileSync('ps', ['-eo', 'stat,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder) && !line.startsWith('Z'));
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder));
  const loops = readdirSync('/sys/block')
    .map((name) => join('/sys/block', name, 'loop/backing_file'))
    .filter((file) => backingOf(file).includes(folder));
  const groups = execFileSync('sh', ['-c', 'find /sys/fs/cgroup -type d -path "*/sandgate/*" 2> /dev/null || :'], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((group) => group !== '' && isRun(basename(group)));
  return [...processes, ...mounts, ...loops, ...groups, ...(engine === undefined ? [] : onEngine(engine))];
}

/** Containers with their cgroups, volumes, and networks of ours. */
function onEngine(engine: PodmanService): string[] {
  const list = (...argv: string[]): string[] =>
    engine
      .podman(...argv)
      .split('\n')
      .filter(Boolean);
  const volumes = list('volume', 'ls', '--quiet');
  const networks = list('network', 'ls', '--filter', 'label=service.managed', '--quiet');
  return [...engine.containers(), ...engine.strayCgroups(), ...volumes, ...networks];
}

/** Loop devices of others come and go meanwhile. */
function backingOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The kernel frees a loop device when the last copy of its mount is gone: any program that is just making a mount namespace
 * holds one for a moment.
 */
export async function awaitNoLeftovers(place: SandboxPlace): Promise<string[]> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    const left = findLeftovers(place);
    if (left.length === 0 || Date.now() > deadline) return left;
    await sleep(50);
  }
}
