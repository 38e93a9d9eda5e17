import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { CERTIFICATE_FILES } from '../../domain/network/tool-variables.js';
import { namesIn } from '../host/folders.js';
import { removeTree } from '../host/remove-tree.js';

/** What is mounted read-only at `/opt/sandgate`: the runner, its Node, the Node of tools, and the folders for installed packages. */
export interface Runtime {
  version: string;
  dir: string;
}

export interface RuntimeSource {
  /** The entry of the bundle, `dist/runner/main.mjs`; its parts lie beside it and are staged with it. */
  runnerBundle: string;
  /** A Node binary; that of this process without one. */
  nodeBinary?: string;
  /** Certificate authorities in PEM form that tools trust besides those of this host; null adds none. */
  certificates?: string | null;
}

/** What the folder is made of; certificates are a whole bundle. */
type Staged = Required<RuntimeSource>;

/**
 * Executable and not readable: a process of it is not dumpable, so its memory and environment are closed to the same uid
 * (docs/design/runner.md).
 */
const RUNNER_NODE_MODE = 0o111;
/** Counts the changes of what the runtime's folder holds beside the runner. */
const LAYOUT = 3;
/** Inside the sandbox, where its runner lets Codex write. */
const CODEX_ID_FILE = '/tmp/codex/installation_id';
const STAGING_MS = 10 * 60_000;

/**
 * Puts the runtime into `<data>/runtime/<version>`, once for each combination of Node and runner. Several processes may do it at
 * the same time. Folders of other versions are deleted when no run is left that could use them.
 */
export async function stageRuntime(dataDir: string, source: RuntimeSource): Promise<Runtime> {
  const { runnerBundle, nodeBinary = process.execPath, certificates: added = null } = source;
  const staged = { runnerBundle, nodeBinary, certificates: added === null ? null : withThoseOfThisHost(added) };
  const version = await versionOf(staged);
  const all = join(dataDir, 'runtime');
  const dir = join(all, version);
  if (!(await isStaged(dir))) {
    await mkdir(all, { recursive: true, mode: 0o700 });
    await stageInto(await mkdtemp(join(all, '.staging-')), dir, staged);
  }
  await removeOthers(dataDir, version);
  return { version, dir };
}

/** The Node of tools, which anybody may read and execute. */
export function ordinaryNode({ dir }: Runtime): string {
  return join(dir, 'node/bin/node');
}

/** Behind a link as well. Where it cannot be looked at, staging it says why. */
async function isStaged(dir: string): Promise<boolean> {
  return stat(dir).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

async function stageInto(staging: string, dir: string, staged: Staged): Promise<void> {
  const { nodeBinary, runnerBundle, certificates } = staged;
  for (const folder of ['', 'runner', 'runner/codex', 'runner/codex/home', 'node', 'node/bin', 'tools', 'harness']) {
    await mkdir(join(staging, folder), { recursive: true });
    // The run's uid is another one as root; the mode of the umask might shut it out.
    await chmod(join(staging, folder), 0o755);
  }
  for (const part of await bundleParts(runnerBundle)) {
    const target = join(staging, 'runner', part);
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    await chmod(dirname(target), 0o755);
    await copyFile(join(dirname(runnerBundle), part), target);
    await chmod(target, 0o644);
  }
  // Codex insists on opening this file for writing, in a folder that is read-only.
  await symlink(CODEX_ID_FILE, join(staging, 'runner/codex/home/installation_id'));
  await copyFile(nodeBinary, join(staging, 'runner-node'), constants.COPYFILE_FICLONE);
  await chmod(join(staging, 'runner-node'), RUNNER_NODE_MODE);
  await placeOrdinaryNode(nodeBinary, join(staging, 'node/bin/node'));
  if (certificates !== null) {
    const target = join(staging, basename(CERTIFICATE_FILES[0]));
    await writeFile(target, certificates);
    await chmod(target, 0o644);
  }
  try {
    await rename(staging, dir);
  } catch (error) {
    // Another process was faster; its copy is the same.
    await removeTree(staging);
    if (!(await isStaged(dir))) throw error;
  }
}

/** An image may know fewer than the host, which every sandbox of it would trust. */
function withThoseOfThisHost(added: string): string {
  const system = getCACertificates('system');
  const known = system.length > 0 ? system : getCACertificates('bundled');
  return `${[...new Set(known.map((one) => one.trim()))].join('\n')}\n${added}`;
}

/** A hard link saves a hundred megabytes where the file system and the binary's mode allow it. */
async function placeOrdinaryNode(nodeBinary: string, target: string): Promise<void> {
  const { mode } = await stat(nodeBinary);
  const linked =
    (mode & 0o555) === 0o555 &&
    (await link(nodeBinary, target).then(
      () => true,
      () => false,
    ));
  if (linked) return;
  await copyFile(nodeBinary, target, constants.COPYFILE_FICLONE);
  await chmod(target, 0o755);
}

/** Files of the runner's bundle, relative to its folder, in a fixed order. */
async function bundleParts(runnerBundle: string): Promise<string[]> {
  const names = await readdir(dirname(runnerBundle), { recursive: true });
  return names.filter((name) => name.endsWith('.mjs') || isSettingsFile(name)).toSorted();
}

/** Settings of agent programs lie in a folder of their own beside the bundle. */
function isSettingsFile(name: string): boolean {
  return name.startsWith('codex/') && /\.(?:toml|rules)$/.test(name);
}

async function versionOf({ nodeBinary, runnerBundle, certificates }: Staged): Promise<string> {
  const node = await stat(nodeBinary);
  const hash = createHash('sha256');
  hash.update(JSON.stringify([LAYOUT, nodeBinary, node.size, node.mtimeMs, process.version, certificates]));
  for (const part of await bundleParts(runnerBundle)) hash.update(await readFile(join(dirname(runnerBundle), part)));
  return hash.digest('hex').slice(0, 16);
}

async function removeOthers(dataDir: string, keep: string): Promise<void> {
  if ((await namesIn(join(dataDir, 'runs'))).length > 0) return;
  for (const name of await readdir(join(dataDir, 'runtime'))) {
    const path = join(dataDir, 'runtime', name);
    if (name !== keep && !(name.startsWith('.staging-') && (await isFresh(path)))) await removeTree(path);
  }
}

/** A copy that another process may still be making. */
async function isFresh(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => Date.now() - entry.mtimeMs < STAGING_MS,
    () => true,
  );
}
