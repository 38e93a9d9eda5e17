import type { Evidence } from './evidence.js';

/** One promise of the sandbox. `problem` returns what is broken, or null. */
export interface Point {
  name: string;
  problem(evidence: Evidence): string | null;
}

/** What made the sandbox: bubblewrap, or a container engine from an image, on whose network the plane may be. */
export const SANDBOX_PROFILES = ['bubblewrap', 'container', 'networked-container'] as const;
export type SandboxProfile = (typeof SANDBOX_PROFILES)[number];

/** In what the sandboxes of two profiles differ; every promise holds in both. */
interface Expected {
  rootEntries: string[];
  neededMounts: string[];
  writableMounts: string[];
  /** Mounts of devices that can be opened for writing. */
  devices: string[];
  /** A read-only mount need not refuse setuid files: no new privileges can be had in any case. */
  readOnlyIsEnough: boolean;
  /** Beside loopback, one that leads to its own network alone. */
  interfaces: string[];
  /**
   * Folders of the host, which an engine mounts with the options that the file system has there. They need not refuse setuid files, for the
   * same reason, nor device files: to make one takes a capability, and to open one a device that the engine allows.
   */
  folders: string[];
}

const NO_CAPABILITY = '0000000000000000';
const CAPABILITY_SETS = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'];
const ROOT_ENTRIES = [
  'bin',
  'dev',
  'etc',
  'home',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'opt',
  'proc',
  'run',
  'sbin',
  'tmp',
  'usr',
  'workspace',
];
const WRITABLE_MOUNTS = ['/proc', '/tmp', '/run', '/home/agent', '/workspace', '/dev/shm', '/dev/pts'];
const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty', '/dev/pts'];
/** Files of the kernel that an engine covers with an empty device, where the kernel has them. */
const COVERED = [
  'interrupts',
  'kcore',
  'key-users',
  'keys',
  'latency_stats',
  'sched_debug',
  'timer_list',
  'timer_stats',
].map((name) => `/proc/${name}`);
const NEEDED_MOUNTS = [
  '/',
  '/proc',
  '/dev',
  '/tmp',
  '/run',
  '/home/agent',
  '/opt/sandgate',
  '/run/sandgate',
  '/workspace',
];
const EXPECTED: Record<'bubblewrap' | 'container', Expected> = {
  bubblewrap: {
    rootEntries: ROOT_ENTRIES,
    neededMounts: [...NEEDED_MOUNTS, '/usr'],
    writableMounts: WRITABLE_MOUNTS,
    devices: DEVICES,
    readOnlyIsEnough: false,
    interfaces: [],
    folders: [],
  },
  container: {
    // An image's root has more folders, all of them read-only; the engine leaves a file with its name there.
    rootEntries: [...ROOT_ENTRIES, 'boot', 'media', 'mnt', 'root', 'srv', 'sys', 'var', '.dockerenv'],
    neededMounts: NEEDED_MOUNTS,
    // Root alone could write above the cgroups, and into /dev, where the engine makes the devices. The queues are those of this sandbox, the last one is memory of the run.
    writableMounts: [...WRITABLE_MOUNTS, '/sys/fs/cgroup', '/dev/mqueue', '/var/tmp'],
    devices: [...DEVICES, '/dev', ...COVERED],
    readOnlyIsEnough: true,
    interfaces: [],
    folders: ['/workspace', '/home/agent'],
  },
};

function expectedOf(profile: SandboxProfile): Expected {
  return profile === 'networked-container' ? { ...EXPECTED.container, interfaces: ['eth0'] } : EXPECTED[profile];
}
const ENVIRONMENT = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TMPDIR',
  'PWD',
  'OLDPWD',
  'SHLVL',
  '_',
  'SANDGATE_READY_FD',
];

const first = (problems: (string | null | false)[]): string | null =>
  problems.find((problem): problem is string => typeof problem === 'string') ?? null;
const unlisted = (names: string[], allowed: string[]): string[] => names.filter((name) => !allowed.includes(name));

/** The ten points of the self-check, in the order in which they are judged (docs/design/sandbox.md). */
export function pointsOf(profile: SandboxProfile): Point[] {
  const expected = expectedOf(profile);
  return [...PROCESS_POINTS, networkPoint(expected), ...placePoints(expected)];
}

const PROCESS_POINTS: Point[] = [
  {
    name: 'identity',
    problem: (seen) =>
      first([
        (seen.uid === 0 || seen.gid === 0) && 'the agent is root',
        seen.groups.some((group) => group !== seen.gid) && `the agent has groups ${seen.groups.join(', ')}`,
        new Set(idsOf(seen.status['Uid'])).size > 1 && 'real, effective and saved uid differ',
      ]),
  },
  {
    name: 'capabilities',
    problem: (seen) =>
      first(
        CAPABILITY_SETS.map(
          (set) => seen.status[set] !== NO_CAPABILITY && `${set} is ${seen.status[set] ?? 'unknown'}`,
        ),
      ),
  },
  {
    name: 'no new privileges',
    problem: (seen) => first([seen.status['NoNewPrivs'] !== '1' && 'a setuid program could gain privileges']),
  },
  { name: 'system-call filter', problem: (seen) => first([seen.status['Seccomp'] !== '2' && 'no filter is in force']) },
  {
    name: 'processes',
    problem: (seen) => {
      const others = seen.pids.filter((pid) => pid !== 1 && pid !== seen.pid);
      return first([
        others.length > 0 && `${others.length} other processes are visible`,
        seen.pid === 1 && 'the runner is the first process',
      ]);
    },
  },
];

function networkPoint({ interfaces }: Expected): Point {
  return {
    name: 'network',
    problem: (seen) =>
      first([
        unlisted(seen.interfaces, ['lo', ...interfaces]).length > 0 &&
          `interfaces ${seen.interfaces.join(', ')} are visible`,
        seen.routes.some((route) => route.via !== null || !interfaces.includes(route.on)) &&
          'there is a route to somewhere',
        seen.neighbours.length > 0 && `${seen.neighbours.join(', ')} has an address that nobody gave it`,
      ]),
  };
}

function placePoints(expected: Expected): Point[] {
  return [
    {
      name: 'mounts',
      problem: (seen) =>
        first([missingMount(seen, expected), ...seen.mounts.map((mount) => mountProblem(mount, expected))]),
    },
    {
      name: 'read-only system',
      problem: (seen) =>
        first([
          seen.writable.length > 0 && `${seen.writable.join(', ')} can be written`,
          unlisted(seen.rootEntries, expected.rootEntries).length > 0 &&
            `the root holds ${unlisted(seen.rootEntries, expected.rootEntries).join(', ')}`,
        ]),
    },
    {
      name: 'hidden files',
      problem: (seen) => first([seen.readable.length > 0 && `${seen.readable.join(', ')} can be read`]),
    },
    {
      name: 'environment and descriptors',
      problem: (seen) =>
        first([environmentProblem(seen.environment), ...seen.descriptors.map((one) => descriptorProblem(one, seen))]),
    },
  ];
}

function idsOf(line: string | undefined): string[] {
  return (line ?? '').split(/\s+/).filter(Boolean);
}

function missingMount(seen: Evidence, { neededMounts }: Expected): string | null {
  const points = seen.mounts.map((mount) => mount.point);
  const missing = neededMounts.filter((point) => !points.includes(point));
  return missing.length > 0 ? `${missing.join(', ')} is not mounted` : null;
}

function mountProblem(mount: Evidence['mounts'][number], expected: Expected): string | null {
  const has = (option: string): boolean => mount.options.includes(option);
  if ((has('ro') && expected.readOnlyIsEnough) || expected.folders.includes(mount.point)) return null;
  const isDevice = expected.devices.includes(mount.point);
  if (!has('nosuid')) return `${mount.point} honours setuid files`;
  if (!has('nodev') && !isDevice) return `${mount.point} honours device files`;
  if (has('ro') || isDevice || expected.writableMounts.includes(mount.point)) return null;
  return `${mount.point} is writable`;
}

function environmentProblem(environment: Record<string, string>): string | null {
  const extra = unlisted(Object.keys(environment), ENVIRONMENT);
  return extra.length > 0 ? `the environment holds ${extra.join(', ')}` : null;
}

/** The runtime's own descriptors and those of this namespace; a file or socket of the host was inherited by mistake. */
function descriptorProblem(target: string, seen: Evidence): string | null {
  const socket = /^socket:\[(\d+)\]$/.exec(target)?.[1];
  if (socket !== undefined) return seen.ownSockets.includes(socket) ? null : 'a socket of the host is open';
  if (/^(pipe:|anon_inode:|\/proc\/|\/dev\/null$|\/opt\/sandgate\/|\/workspace$)/.test(target)) return null;
  // The hand-off, when it is still open, is a file without a name; the mark of readiness is the launcher's own.
  return /\/\.sandgate-[0-9a-f-]+ \(deleted\)$|\/ready$/.test(target) ? null : `descriptor of ${target} is open`;
}
