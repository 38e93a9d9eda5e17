import { access, constants, open, readdir, readFile, readlink } from 'node:fs/promises';
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
  routes: number;
  mounts: { point: string; options: string[] }[];
  rootEntries: string[];
  /** Paths that could be opened for writing or written into. */
  writable: string[];
  /** Paths that could be read and were not empty. */
  readable: string[];
  environment: Record<string, string>;
  /** Targets of the open descriptors beyond standard input, output and error. */
  descriptors: string[];
  /** Inodes of the sockets of this network namespace. */
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

export async function gatherEvidence(): Promise<Evidence> {
  const status = parseStatus(await readText('/proc/self/status'));
  const [mountinfo, uidMap, routes, pids, rootEntries] = await Promise.all([
    readText('/proc/self/mountinfo'),
    readText('/proc/self/uid_map'),
    readText('/proc/self/net/route'),
    readdir('/proc'),
    readdir('/'),
  ]);
  return {
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    groups: process.getgroups?.() ?? [],
    uidMap: uidMap.trim().replace(/\s+/g, ' '),
    status,
    pid: process.pid,
    pids: pids.filter((name) => /^\d+$/.test(name)).map(Number),
    interfaces: Object.keys(networkInterfaces()),
    routes: Math.max(0, routes.trim().split('\n').length - 1),
    mounts: parseMounts(mountinfo),
    rootEntries,
    writable: await filterAsync(MUST_NOT_WRITE, isWritable),
    readable: await filterAsync(MUST_NOT_READ, isReadable),
    environment: Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ''])),
    descriptors: await listDescriptors(),
    ownSockets: await listSockets(),
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

async function listDescriptors(): Promise<string[]> {
  const names = (await readdir('/proc/self/fd')).filter((name) => Number(name) > 2);
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => null)));
  // The descriptor of this very listing is gone by the time its link is read.
  return targets.filter((target) => target !== null);
}

async function listSockets(): Promise<string[]> {
  const tables = await Promise.all(
    ['unix', 'tcp', 'tcp6', 'udp', 'udp6', 'netlink'].map((name) => readText(`/proc/self/net/${name}`)),
  );
  // Each table has the inode in another column; any number of the line may be it, which is exact enough for a refusal.
  return [...new Set(tables.flatMap((table) => table.split(/\s+/).filter((word) => /^\d+$/.test(word))))];
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function isReadable(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'r');
    try {
      return (await file.read(Buffer.alloc(1), 0, 1, null)).bytesRead > 0;
    } finally {
      await file.close();
    }
  } catch {
    // Refused, absent, or an address that holds nothing: all the same to whoever wanted to read it.
    return path.endsWith('/mem') ? opens(path) : false;
  }
}

/** Memory files have nothing at their beginning; that they open is already too much. */
async function opens(path: string): Promise<boolean> {
  return open(path, 'r').then(
    async (file) => {
      await file.close();
      return true;
    },
    () => false,
  );
}

async function filterAsync(paths: string[], test: (path: string) => Promise<boolean>): Promise<string[]> {
  const results = await Promise.all(paths.map(test));
  return paths.filter((_, index) => results[index]);
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
