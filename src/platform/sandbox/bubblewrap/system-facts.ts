import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Which parts of this host's file system a sandbox is given, and which must be hidden from it (docs/design/sandbox.md). Read
 * once; the same for all runs.
 */
export interface SystemFacts {
  /** Names at the root that are links into `/usr`. */
  links: { path: string; target: string }[];
  /** Folders and files bound read-only at their own path. */
  readOnly: string[];
  /** Paths below `/proc` that are covered by an empty file, an empty folder, or made read-only. */
  maskedFiles: string[];
  maskedFolders: string[];
  readOnlyProc: string[];
}

const ROOT_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const ETC = [
  '/etc/ld.so.cache',
  '/etc/ssl/certs',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/etc/ca-certificates/extracted',
  '/etc/alternatives',
];
const MASKED = [
  'kcore',
  'keys',
  'key-users',
  'latency_stats',
  'timer_list',
  'timer_stats',
  'sched_debug',
  'interrupts',
  'acpi',
  'asound',
  'scsi',
];
const READ_ONLY_PROC = ['bus', 'fs', 'irq', 'sys', 'sysrq-trigger'];

/** Reads the facts. `root` stands before every path, for tests. */
export function readSystemFacts(root = '/'): SystemFacts {
  const facts: SystemFacts = { links: [], readOnly: ['/usr'], maskedFiles: [], maskedFolders: [], readOnlyProc: [] };
  for (const path of ROOT_FOLDERS) addRootFolder(facts, root, path);
  facts.readOnly.push(...ETC.filter((path) => existsSync(join(root, path))));
  addLocalTime(facts, root);
  for (const name of MASKED) {
    const entry = lstatSync(join(root, 'proc', name), { throwIfNoEntry: false });
    if (entry !== undefined) (entry.isDirectory() ? facts.maskedFolders : facts.maskedFiles).push(`/proc/${name}`);
  }
  facts.readOnlyProc.push(
    ...READ_ONLY_PROC.map((name) => `/proc/${name}`).filter((path) => existsSync(join(root, path))),
  );
  return facts;
}

function addRootFolder(facts: SystemFacts, root: string, path: string): void {
  const entry = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (entry === undefined) return;
  if (entry.isSymbolicLink()) facts.links.push({ path, target: readlinkSync(join(root, path)) });
  else facts.readOnly.push(path);
}

function addLocalTime(facts: SystemFacts, root: string): void {
  const path = '/etc/localtime';
  const entry = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (entry?.isFile() === true) facts.readOnly.push(path);
  if (entry?.isSymbolicLink() !== true) return;
  const target = readlinkSync(join(root, path));
  if (target.replace(/^(\.\.)+/, '').startsWith('/usr/')) facts.links.push({ path, target });
}
