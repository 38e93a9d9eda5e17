import type { ContainerCreateOptions } from 'dockerode';
import type { SandboxSizes } from '../../../domain/run/spec.js';
import { INSIDE, READY_VARIABLE, RUNNER_ENVIRONMENT, scratchSizes, type ScratchSizes } from '../room/inside.js';
import type { RunMount } from '../room/run-mounts.js';
import type { EngineFlavour } from './engine.js';

const MIB = 1024 * 1024;
const NANO = 1_000_000_000;
const OPEN_FILES = 16_384;
/** Of all processes of a uid that is not the sandbox's own; its cgroup counts those inside. */
const SHARED_PROCESSES = 4096;
/** The init and what the engine runs of its own. */
const OWN_PROCESSES = 4;

/** Labels of everything that we make on an engine. */
export const LABELS = {
  run: 'service.session',
  /** Which of the run's sandboxes it is. */
  phase: 'service.phase',
  managed: 'service.managed',
  /** Two installations on one engine never touch each other's containers. */
  deployment: 'service.deployment',
  /** Of no run: it tries the engine, or is a program that is confined. */
  trial: 'service.trial',
  /** Boot, pid and start time of the process that made it. */
  process: 'service.process',
} as const;

/** The phase of what is beside a run's sandboxes: its way to the runner plane. */
export const PLANE_PHASE = 'plane';

/** Docker covers these instead of its own list, Podman as well. */
const MASKED = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/key-users',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/sys/devices/virtual/powercap',
  '/sys/firmware',
];

/**
 * Descriptor 3 is the hand-off, 4 the verdict; what is printed goes to one stream, in the order in which it is printed. The environment of
 * the engine and of the image ends here.
 */
const ENTRY = 'exec 3<&0 4>&2 < /dev/null 2>&1; exec /usr/bin/env -i "$@"';
const READY_FD = 4;

/** A network of the engine that has only what a sandbox may reach. */
export interface ContainerNetwork {
  name: string;
  /** Asked for names; nobody answers there. */
  dns: string;
  /** The container's own address, where it must be known before. */
  address?: string;
}

/** Of a network's second protocol, by which this host would be a neighbour. */
const NO_IPV6 = { 'net.ipv6.conf.all.disable_ipv6': '1', 'net.ipv6.conf.default.disable_ipv6': '1' };

/** Everything that decides the shape of one container. */
export interface ContainerPlan {
  image: string;
  flavour: EngineFlavour;
  /** The engine's name of the runtime below it; null takes its default. */
  runtime: string | null;
  labels: Record<string, string>;
  uid: number;
  /** The uid belongs to this sandbox alone, so that its processes can be counted by it. */
  ownUid: boolean;
  sizes: SandboxSizes;
  /** Largest file in bytes, where nothing else bounds the workspace. */
  fileBytes: number | null;
  mounts: readonly RunMount[];
  /** What stands after `seccomp=`: Docker takes the filter itself, Podman the file that holds it. */
  seccomp: string;
  program: readonly string[];
  /** Without it there is no network at all. */
  network?: ContainerNetwork;
}

/** The body with which a container is created (docs/design/docker.md). Pure. */
export function containerBody(plan: ContainerPlan): ContainerCreateOptions {
  const environment = { ...RUNNER_ENVIRONMENT, [READY_VARIABLE]: String(READY_FD) };
  const assignments = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return {
    Image: plan.image,
    // An init that its own uid cannot read: nobody inside can look into the first process.
    Entrypoint: ['/usr/bin/catatonit', '--', '/bin/sh', '-c', ENTRY, 'sandgate', ...assignments, ...plan.program],
    User: `${plan.uid}:${plan.uid}`,
    WorkingDir: INSIDE.workspace,
    Hostname: 'sandgate',
    Labels: plan.labels,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    StdinOnce: true,
    Tty: false,
    NetworkDisabled: plan.network === undefined,
    ...endpoints(plan),
    HostConfig: hostConfig(plan),
  };
}

function endpoints({ network }: ContainerPlan): Pick<ContainerCreateOptions, 'NetworkingConfig'> {
  if (network?.address === undefined) return {};
  return {
    NetworkingConfig: { EndpointsConfig: { [network.name]: { IPAMConfig: { IPv4Address: network.address } } } },
  };
}

/** The types lack one member that both engines take. */
type EngineHostConfig = NonNullable<ContainerCreateOptions['HostConfig']> & { CgroupnsMode: 'private' };

function hostConfig(plan: ContainerPlan): EngineHostConfig {
  const memory = plan.sizes.memory_mb * MIB;
  const keepsHome = plan.mounts.some(({ target }) => target === INSIDE.home);
  const scratch = scratchSizes(plan.sizes, keepsHome);
  return {
    ...networking(plan),
    IpcMode: 'private',
    CgroupnsMode: 'private',
    ReadonlyRootfs: true,
    Privileged: false,
    CapDrop: ['ALL'],
    SecurityOpt: securityOptions(plan),
    ...(plan.flavour === 'docker' ? { MaskedPaths: MASKED } : {}),
    Memory: memory,
    MemorySwap: memory,
    NanoCpus: Math.round(plan.sizes.cpus * NANO),
    PidsLimit: plan.sizes.pids + OWN_PROCESSES,
    ShmSize: scratch.shm,
    Ulimits: ulimits(plan),
    Tmpfs: tmpfs(scratch),
    // Never as `Binds`: an engine makes the source of such a one where it is missing.
    Mounts: plan.mounts.map(({ source, target, readOnly }) => ({
      Type: 'bind',
      Source: source,
      Target: target,
      ReadOnly: readOnly,
    })),
    LogConfig: logging(plan.flavour),
    RestartPolicy: { Name: 'no' },
    AutoRemove: false,
    Init: false,
    ...(plan.runtime === null ? {} : { Runtime: plan.runtime }),
  };
}

function networking({ network }: ContainerPlan): Pick<EngineHostConfig, 'NetworkMode' | 'Dns' | 'Sysctls'> {
  if (network === undefined) return { NetworkMode: 'none' };
  return { NetworkMode: network.name, Dns: [network.dns], Sysctls: NO_IPV6 };
}

function securityOptions({ flavour, seccomp }: ContainerPlan): string[] {
  const options = ['no-new-privileges', `seccomp=${seccomp}`];
  return flavour === 'podman' ? [...options, `mask=${MASKED.join(':')}`] : options;
}

/** Each is named, because Podman raises the others to what a system allows at most, which may be refused. */
function ulimits({ fileBytes, ownUid, sizes }: ContainerPlan): { Name: string; Soft: number; Hard: number }[] {
  const processes = ownUid ? sizes.pids + OWN_PROCESSES : SHARED_PROCESSES;
  return [
    { Name: 'core', Soft: 0, Hard: 0 },
    { Name: 'nofile', Soft: OPEN_FILES, Hard: OPEN_FILES },
    ...(fileBytes === null ? [] : [{ Name: 'fsize', Soft: fileBytes, Hard: fileBytes }]),
    { Name: 'nproc', Soft: processes, Hard: processes },
  ];
}

/** Not as mounts with options, whose size Podman ignores. Programs may be executed there as anywhere, which Docker must be told. */
function tmpfs(sizes: ScratchSizes): Record<string, string> {
  const options = (bytes: number, mode: string): string => `rw,exec,nosuid,nodev,size=${bytes},mode=${mode}`;
  return {
    '/tmp': options(sizes.tmp, '1777'),
    '/run': options(sizes.run, '0755'),
    ...(sizes.home === null ? {} : { [INSIDE.home]: options(sizes.home, '1777') }),
  };
}

/** The engine keeps more than the MiB that is shown, because it throws its log away in large pieces. */
function logging(flavour: EngineFlavour): { Type: string; Config: Record<string, string> } {
  return flavour === 'docker'
    ? { Type: 'json-file', Config: { 'max-size': '4m', 'max-file': '3' } }
    : { Type: 'k8s-file', Config: { 'max-size': '16m' } };
}
