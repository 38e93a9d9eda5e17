import { accessSync, closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

/** What a process finds out about its own confinement; gathered once, judged by the points. */
export interface Evidence {
  uid: number;
  gid: number;
  groups: number[];
  uidMap: string;
  /** Members of `/proc/self/status`. */
  status: Record<string, string>;
  pid: number;
  pids: number[];
  interfaces: string[];
  /** `via` is the address of a router, or null for a route to neighbours alone. */
  routes: { on: string; via: string | null }[];
  /** Interfaces beyond loopback that have an address of IPv6, by which they reach their neighbours unasked. */
  neighbours: string[];
  mounts: { point: string; options: string[] }[];
  rootEntries: string[];
  /** Paths that could be opened for writing or written into. */
  writable: string[];
  /** Paths that could be read and were not empty. */
  readable: string[];
  environment: Record<string, string>;
  /** Targets of the open descriptors beyond standard input, output and error. */
  descriptors: string[];
  /** Inodes of the sockets of this network namespace; empty where no descriptor is a socket. */
  ownSockets: string[];
}

/** Writing any of these would change the system or another run. */
export const MUST_NOT_WRITE = [
  '/',
  '/usr',
  '/usr/bin',
  '/etc',
  '/etc/passwd',
  '/opt/sandgate',
  '/opt/sandgate/runner/main.mjs',
  '/dev',
  '/run/sandgate',
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/kernel/hostname',
  '/proc/sysrq-trigger',
  '/proc/irq',
  '/proc/bus',
];
/** Reading any of these would show the host's memory, keys or the control plane's secrets. */
export const MUST_NOT_READ = [
  '/proc/kcore',
  '/proc/keys',
  '/proc/key-users',
  '/proc/timer_list',
  '/proc/sched_debug',
  '/proc/latency_stats',
  '/proc/interrupts',
  '/proc/kmsg',
  '/proc/1/environ',
  '/proc/self/environ',
  '/proc/self/mem',
  '/etc/shadow',
];

/** Synchronous: nothing else runs yet, and the thread pool would take most of the time of fifty short reads. */
export function gatherEvidence(): Evidence {
  const descriptors = listDescriptors();
  return {
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    groups: process.getgroups?.() ?? [],
    uidMap: readText('/proc/self/uid_map').trim().replace(/\s+/g, ' '),
    status: parseStatus(readText('/proc/self/status')),
    pid: process.pid,
    pids: readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number),
    interfaces: Object.keys(networkInterfaces()),
    routes: parseRoutes(readText('/proc/self/net/route')),
    neighbours: Object.entries(networkInterfaces())
      .filter(([name, addresses = []]) => name !== 'lo' && addresses.some(({ family }) => family === 'IPv6'))
      .map(([name]) => name),
    mounts: parseMounts(readText('/proc/self/mountinfo')),
    rootEntries: readdirSync('/'),
    writable: MUST_NOT_WRITE.filter(isWritable),
    readable: MUST_NOT_READ.filter(isReadable),
    environment: Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ''])),
    descriptors,
    // The kernel walks a table of the whole host for each list of TCP sockets, which takes ten milliseconds, so this is done only
    // when a descriptor is a socket.
    ownSockets: descriptors.some((target) => target.startsWith('socket:')) ? listSockets() : [],
  };
}

export function parseStatus(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
}

export function parseMounts(text: string): Evidence['mounts'] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const fields = line.split(' ');
      return { point: fields[4] ?? '', options: (fields[5] ?? '').split(',') };
    });
}

/** Of the kernel's table, whose addresses are hexadecimal. */
export function parseRoutes(text: string): Evidence['routes'] {
  const [, ...lines] = text.trim().split('\n');
  return lines.map((line) => {
    const [on = '', , gateway = ''] = line.split(/\s+/);
    return { on, via: gateway === '00000000' ? null : gateway };
  });
}

function listDescriptors(): string[] {
  const names = readdirSync('/proc/self/fd').filter((name) => Number(name) > 2);
  // The descriptor of this very listing is gone by the time its link is read.
  return names.map((name) => attempt(() => readlinkSync(`/proc/self/fd/${name}`))).filter((target) => target !== null);
}

function listSockets(): string[] {
  const tables = ['unix', 'tcp', 'tcp6', 'udp', 'udp6', 'netlink'].map((name) => readText(`/proc/self/net/${name}`));
  // Each table has the inode in another column; any number of the line may be it, which is exact enough for a refusal.
  return [...new Set(tables.flatMap((table) => table.split(/\s+/).filter((word) => /^\d+$/.test(word))))];
}

function isWritable(path: string): boolean {
  return attempt(() => accessSync(path, constants.W_OK)) !== null;
}

/** Memory files are empty at their beginning; being able to open them is already too much. */
function isReadable(path: string): boolean {
  const descriptor = attempt(() => openSync(path, 'r'));
  if (descriptor === null) return false;
  const count = attempt(() => readSync(descriptor, Buffer.alloc(1), 0, 1, null));
  closeSync(descriptor);
  return path.endsWith('/mem') || (count ?? 0) > 0;
}

function readText(path: string): string {
  return attempt(() => readFileSync(path, 'utf8')) ?? '';
}

/** Refused, absent, or empty: it could not be read. @returns null then */
function attempt<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
