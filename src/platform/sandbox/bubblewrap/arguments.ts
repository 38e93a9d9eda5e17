import type { ScratchSizes } from '../room/inside.js';
import type { RunMount } from '../room/run-mounts.js';
import type { SystemFacts } from './system-facts.js';

/**
 * Who the processes are on the host: `root` drops to a uid of their own, `user` keeps ours inside a user namespace
 * (docs/design/sandbox.md).
 */
export type SandboxMode = 'root' | 'user';

/** The uid and gid inside when a user namespace maps them; as root the host's uid shows. */
export const INSIDE_ID = 10001;

/** Descriptors of the generated files of `/etc`. */
export type EtcDescriptors = Record<'passwd' | 'group' | 'hosts' | 'nsswitch.conf', number>;

/** Everything that decides the shape of one sandbox. Sizes in bytes. */
export interface SandboxShape {
  mode: SandboxMode;
  facts: SystemFacts;
  binds: RunMount[];
  /** False leaves the host's network visible: only for fetching by our own programs. */
  isolateNetwork: boolean;
  sizes: ScratchSizes;
  environment: Record<string, string>;
  /** Where the program starts; as root one that everybody may enter, since bubblewrap keeps no right to enter others. */
  workingFolder: string;
  descriptors: { seccomp: number; etc: EtcDescriptors; status?: number };
  /** Kill it with the process that started it. Agents' sandboxes outlive the control plane. */
  dieWithParent: boolean;
}

/**
 * The options of bubblewrap, as handed over on `--args`. Pure. Order matters: later mounts cover earlier ones, the root is
 * made read-only last.
 * @throws Error when a bind would make bubblewrap create its target inside another bind (CVE-2026-87766).
 */
export function buildArguments(shape: SandboxShape): string[] {
  refuseNestedTargets(shape.binds);
  return [
    ...namespaces(shape),
    ...systemMounts(shape),
    ...procMounts(shape.facts),
    ...deviceMounts(shape.sizes.shm),
    ...scratchMounts(shape.sizes),
    ...folders(shape.binds.map((bind) => bind.target)),
    ...shape.binds.flatMap((bind) => [bind.readOnly ? '--ro-bind' : '--bind', bind.source, bind.target]),
    ...['--remount-ro', '/'],
    ...['--clearenv', ...Object.entries(shape.environment).flatMap(([name, value]) => ['--setenv', name, value])],
    ...['--chdir', shape.workingFolder, '--seccomp', String(shape.descriptors.seccomp)],
    ...(shape.descriptors.status === undefined ? [] : ['--json-status-fd', String(shape.descriptors.status)]),
    ...(shape.dieWithParent ? ['--die-with-parent'] : []),
  ];
}

/** Each namespace by name: `--unshare-all` makes user and cgroup optional, which may silently do nothing. */
function namespaces(shape: SandboxShape): string[] {
  const names = [
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup',
    '--hostname',
    'sandgate',
    '--new-session',
  ];
  if (shape.isolateNetwork) names.push('--unshare-net');
  if (shape.mode === 'user') {
    const id = String(INSIDE_ID);
    return ['--unshare-user', '--disable-userns', '--uid', id, '--gid', id, ...names, '--cap-drop', 'ALL'];
  }
  // The three capabilities that setpriv needs to become the run's uid; it drops them all on its way.
  return [
    ...names,
    '--cap-drop',
    'ALL',
    '--cap-add',
    'CAP_SETUID',
    '--cap-add',
    'CAP_SETGID',
    '--cap-add',
    'CAP_SETPCAP',
  ];
}

function systemMounts(shape: SandboxShape): string[] {
  const { facts, descriptors } = shape;
  return [
    ...tmpfs('/', shape.sizes.root, '0755'),
    ...folders(['/etc/passwd', '/home/agent', ...facts.readOnly]),
    ...facts.readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...facts.links.flatMap((link) => ['--symlink', link.target, link.path]),
    ...Object.entries(descriptors.etc).flatMap(([name, fd]) => [
      '--perms',
      '0444',
      '--file',
      String(fd),
      `/etc/${name}`,
    ]),
  ];
}

function procMounts(facts: SystemFacts): string[] {
  return [
    ...['--proc', '/proc'],
    ...facts.readOnlyProc.flatMap((path) => ['--ro-bind', path, path]),
    ...facts.maskedFiles.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...facts.maskedFolders.flatMap((path) => [...tmpfs(path, 4096, '0555'), '--remount-ro', path]),
  ];
}

function deviceMounts(shmBytes: number): string[] {
  return ['--dev', '/dev', ...tmpfs('/dev/shm', shmBytes, '1777'), '--remount-ro', '/dev'];
}

/** As root the home folder cannot be given to the run's uid, so it is open to all; nobody else is inside. */
function scratchMounts(sizes: ScratchSizes): string[] {
  return [
    ...tmpfs('/tmp', sizes.tmp, '1777'),
    ...tmpfs('/run', sizes.run, '0755'),
    ...(sizes.home === null ? [] : tmpfs('/home/agent', sizes.home, '1777')),
  ];
}

function tmpfs(target: string, bytes: number, mode: string): string[] {
  return ['--size', String(bytes), '--perms', mode, '--tmpfs', target];
}

/** Makes the folders above the targets, outermost first. Left to itself bubblewrap makes them for root alone. */
function folders(targets: string[]): string[] {
  const parents = new Set<string>();
  for (const target of targets) {
    const names = target.split('/').slice(1, -1);
    names.forEach((_, index) => parents.add(`/${names.slice(0, index + 1).join('/')}`));
  }
  return [...parents].sort().flatMap((path) => ['--perms', '0755', '--dir', path]);
}

function refuseNestedTargets(binds: RunMount[]): void {
  for (const inner of binds) {
    const outer = binds.find((bind) => bind !== inner && (inner.target === bind.target || isOpenInside(bind, inner)));
    if (outer !== undefined)
      throw new Error(
        `refusing to mount ${inner.target} inside ${outer.target}: its target could be a link that the agent made`,
      );
  }
}

function isOpenInside(outer: RunMount, inner: RunMount): boolean {
  return inner.target.startsWith(`${outer.target}/`) && !(outer.readOnly && outer.ours === true);
}

/**
 * What stands after the options. As root the program is entered through setpriv with the run's uid and every capability set
 * empty; the process limit is set inside, where only the sandbox's own processes count.
 */
export function buildCommand(shape: CommandShape, program: string[]): string[] {
  return [...processLimit(shape.processes), ...identity(shape), ...program];
}

export interface CommandShape {
  mode: SandboxMode;
  uid: number | null;
  /** Most processes, or null without that limit. */
  processes: number | null;
  /** A folder that only the program's uid may enter, or null. */
  enter: string | null;
}

function processLimit(processes: number | null): string[] {
  if (processes === null) return [];
  // dash counts processes with -p, bash with -u.
  return ['/bin/sh', '-c', 'ulimit -u "$0" 2>/dev/null || ulimit -p "$0" || exit 96; exec "$@"', String(processes)];
}

function identity({ mode, uid, enter }: CommandShape): string[] {
  if (mode === 'user') return [];
  if (uid === null || uid <= 0) throw new Error('a sandbox started by root needs an unprivileged uid');
  const sets = ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--no-new-privs'];
  return [
    '/usr/bin/setpriv',
    '--reuid',
    String(uid),
    '--regid',
    String(uid),
    '--clear-groups',
    ...sets,
    '--',
    ...(enter === null ? [] : ['/bin/sh', '-c', 'cd "$0" && exec "$@"', enter]),
  ];
}
