import type { Machine } from './syscall-numbers.js';
import { syscallNumber } from './syscall-numbers.js';

/** The part of the OCI seccomp format that the default profile uses. */
export interface SeccompProfile {
  defaultAction: string;
  defaultErrnoRet: number;
  archMap: unknown;
  syscalls: ProfileEntry[];
}

interface ProfileEntry {
  names: string[];
  action: string;
  errnoRet?: number;
  args?: { index: number; value: number; valueTwo?: number; op: string }[];
  comment?: string;
  includes?: ProfileCondition;
  excludes?: ProfileCondition;
}

interface ProfileCondition {
  caps?: string[];
  arches?: string[];
  minKernel?: string;
}

/** One comparison with a 64-bit argument: `(argument & mask) == value`. */
export interface ArgumentTest {
  index: number;
  mask: bigint;
  value: bigint;
}

/** What happens to one system call. `when`: allowed if all tests of any alternative hold, else refused with EPERM. */
export type Ruling =
  | { kind: 'allow' }
  | { kind: 'refuse'; errno: number }
  | { kind: 'when'; alternatives: ArgumentTest[][] };

export const EPERM = 1;
const ENOSYS = 38;
export const ALL_BITS = 0xffff_ffff_ffff_ffffn;

const AF_UNIX = 1n;
const AF_INET = 2n;
const AF_INET6 = 10n;
const AF_NETLINK = 16n;
const NETLINK_ROUTE = 0n;

/**
 * Refused whatever the profile says (docs/design/sandbox.md): ways to read or steer another process, kernel facilities with a history
 * of holes, and everything that makes or enters a namespace.
 */
export const ALWAYS_REFUSED = [
  'ptrace',
  'process_vm_readv',
  'process_vm_writev',
  'pidfd_getfd',
  'process_madvise',
  'kcmp',
  'keyctl',
  'add_key',
  'request_key',
  'userfaultfd',
  'bpf',
  'perf_event_open',
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'unshare',
  'setns',
  'mount',
  'umount2',
  'pivot_root',
  'chroot',
  'open_tree',
  'open_tree_attr',
  'move_mount',
  'fsopen',
  'fsconfig',
  'fsmount',
  'fspick',
  'mount_setattr',
  'open_by_handle_at',
  'init_module',
  'finit_module',
  'delete_module',
  'kexec_load',
  'kexec_file_load',
  'reboot',
  'swapon',
  'swapoff',
  'fanotify_init',
  'quotactl',
  'quotactl_fd',
  'acct',
  'iopl',
  'ioperm',
  'uselib',
  'nfsservctl',
  'vhangup',
  'lookup_dcookie',
] as const;

const equals = (index: number, value: bigint): ArgumentTest => ({ index, mask: ALL_BITS, value });

/** Families that reach nothing outside the network namespace. AF_VSOCK, for example, bypasses it to the hypervisor. */
const SOCKETS: Ruling = {
  kind: 'when',
  alternatives: [
    [equals(0, AF_UNIX)],
    [equals(0, AF_INET)],
    [equals(0, AF_INET6)],
    [equals(0, AF_NETLINK), equals(2, NETLINK_ROUTE)],
  ],
};

/**
 * The ruling of every system call that is not simply refused, by number. The process has no capability, so entries of the
 * profile that need one do not apply.
 * @throws Error when the profile holds something that this reader does not know: a filter is never guessed.
 */
export function resolveRulings(
  profile: SeccompProfile,
  machine: Machine,
  absent: readonly string[] = [],
): Map<number, Ruling> {
  if (profile.defaultAction !== 'SCMP_ACT_ERRNO' || profile.defaultErrnoRet !== EPERM) {
    throw new Error(`the seccomp profile's default is ${profile.defaultAction}, expected SCMP_ACT_ERRNO with EPERM`);
  }
  const rulings = new Map<number, Ruling>();
  for (const entry of profile.syscalls) {
    if (!applies(entry, machine)) continue;
    for (const name of entry.names) {
      const number = syscallNumber(machine, name);
      if (number !== undefined) rulings.set(number, merge(rulings.get(number), rulingOf(entry), name));
    }
  }
  return withOwnRules(rulings, machine, absent);
}

function withOwnRules(rulings: Map<number, Ruling>, machine: Machine, absent: readonly string[]): Map<number, Ruling> {
  for (const name of ALWAYS_REFUSED) {
    const number = syscallNumber(machine, name);
    if (number !== undefined) rulings.delete(number);
  }
  const set = (name: string, ruling: Ruling): void => {
    const number = syscallNumber(machine, name);
    if (number === undefined) throw new Error(`system call ${name} has no number on ${machine}`);
    rulings.set(number, ruling);
  };
  set('socket', SOCKETS);
  set('socketpair', { kind: 'when', alternatives: [[equals(0, AF_UNIX)]] });
  for (const name of ['clone3', ...absent]) set(name, { kind: 'refuse', errno: ENOSYS });
  return rulings;
}

function applies(entry: ProfileEntry, machine: Machine): boolean {
  const architectures = machine === 'x86-64' ? ['amd64', 'x86', 'x32'] : ['arm64', 'arm'];
  const { includes, excludes } = entry;
  if (includes?.caps !== undefined && includes.caps.length > 0) return false;
  if (includes?.arches !== undefined && !includes.arches.some((arch) => architectures.includes(arch))) return false;
  return !(excludes?.arches?.some((arch) => architectures.includes(arch)) ?? false);
}

function rulingOf(entry: ProfileEntry): Ruling {
  if (entry.action === 'SCMP_ACT_ERRNO') return { kind: 'refuse', errno: entry.errnoRet ?? EPERM };
  if (entry.action !== 'SCMP_ACT_ALLOW')
    throw new Error(`the seccomp profile uses ${entry.action}, which this reader does not know`);
  if (entry.args === undefined || entry.args.length === 0) return { kind: 'allow' };
  // Comparisons by order occur on `socket` alone, whose entries are replaced; a refusal stands in for them.
  if (entry.names.every((name) => name === 'socket')) return { kind: 'refuse', errno: EPERM };
  return { kind: 'when', alternatives: [entry.args.map(argumentTest)] };
}

function argumentTest(argument: { index: number; value: number; valueTwo?: number; op: string }): ArgumentTest {
  const value = BigInt(argument.value);
  if (argument.op === 'SCMP_CMP_EQ') return { index: argument.index, mask: ALL_BITS, value };
  if (argument.op === 'SCMP_CMP_MASKED_EQ')
    return { index: argument.index, mask: value, value: BigInt(argument.valueTwo ?? 0) };
  throw new Error(`the seccomp profile compares with ${argument.op}, which this reader does not know`);
}

function merge(before: Ruling | undefined, added: Ruling, name: string): Ruling {
  if (before === undefined) return added;
  if (before.kind === 'when' && added.kind === 'when') {
    return { kind: 'when', alternatives: [...before.alternatives, ...added.alternatives] };
  }
  if (before.kind === added.kind) return added;
  if (before.kind === 'allow' || added.kind === 'allow') return { kind: 'allow' };
  throw new Error(`the seccomp profile rules twice and differently on ${name}`);
}
