import { accessSync, constants, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Where groups for runs may be made. */
export interface CgroupTree {
  version: 1 | 2;
  hierarchies: { folder: string; controllers: string[] }[];
}

const NEEDED = ['memory', 'pids'];
const WANTED = [...NEEDED, 'cpu'];
/** Version 1 counts processor time apart from bounding it. */
const COUNTING = 'cpuacct';

/**
 * Finds a place where this process may bound others: version 2 where a subtree is delegated to us, version 1 as root.
 * @param root stands before `/proc` and the mount points, for tests
 * @returns null when there is none; limits are soft then
 */
export function findCgroupTree(root = '/'): CgroupTree | null {
  const own = parseOwnGroups(readText(join(root, 'proc/self/cgroup')));
  const mounts = parseMounts(readText(join(root, 'proc/self/mountinfo')));
  return version2(root, own, mounts) ?? version1(root, own, mounts);
}

interface Mount {
  point: string;
  /** The group that stands at the mount point; other than `/` inside containers. */
  base: string;
  type: string;
  options: string[];
}

function parseOwnGroups(text: string): Map<string, string> {
  const groups = new Map<string, string>();
  for (const line of text.split('\n').filter(Boolean)) {
    const [, controllers = '', ...path] = line.split(':');
    for (const controller of controllers.split(',')) groups.set(controller, path.join(':'));
  }
  return groups;
}

function parseMounts(text: string): Mount[] {
  return text
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => {
      const [left = '', right = ''] = line.split(' - ');
      const fields = left.split(' ');
      const [type = '', , options = ''] = right.split(' ');
      return { point: fields[4] ?? '', base: fields[3] ?? '/', type, options: options.split(',') };
    });
}

function version2(root: string, own: Map<string, string>, mounts: Mount[]): CgroupTree | null {
  const mount = mounts.find((one) => one.type === 'cgroup2');
  const path = own.get('');
  if (mount === undefined || path === undefined) return null;
  const here = resolve(root, `.${mount.point}`, `.${relativeTo(path, mount.base)}`);
  // A group with processes of its own cannot hand controllers down, so its parent comes first.
  const candidates = path === '/' ? [here] : [dirname(here), here];
  const folder = candidates.find((one) => {
    const handedDown = readText(join(one, 'cgroup.subtree_control')).split(/\s+/);
    return (
      NEEDED.every((controller) => handedDown.includes(controller)) &&
      isWritable(one) &&
      isWritable(join(one, 'cgroup.procs'))
    );
  });
  return folder === undefined ? null : { version: 2, hierarchies: [{ folder, controllers: WANTED }] };
}

function version1(root: string, own: Map<string, string>, mounts: Mount[]): CgroupTree | null {
  const byFolder = new Map<string, string[]>();
  for (const controller of [...WANTED, COUNTING]) {
    const mount = mounts.find((one) => one.type === 'cgroup' && one.options.includes(controller));
    const path = own.get(controller);
    if (mount === undefined || path === undefined) continue;
    const folder = resolve(root, `.${mount.point}`, `.${relativeTo(path, mount.base)}`);
    if (isWritable(folder)) byFolder.set(folder, [...(byFolder.get(folder) ?? []), controller]);
  }
  const hierarchies = [...byFolder].map(([folder, controllers]) => ({ folder, controllers }));
  const found = hierarchies.flatMap((hierarchy) => hierarchy.controllers);
  return NEEDED.every((controller) => found.includes(controller)) ? { version: 1, hierarchies } : null;
}

function relativeTo(path: string, base: string): string {
  if (base === '/' || base === path) return base === path ? '/' : path;
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
