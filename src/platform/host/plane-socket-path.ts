import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rm, rmdir } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- sockets of this host's own folders
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { isSystemError } from '../../domain/system-error.js';
import { isRowId } from '../../domain/uuid.js';
import { namesIn } from './folders.js';

/** Longest path that a unix socket address holds on Linux, without its closing NUL. */
const MAX_ADDRESS_BYTES = 107;

/** Name of the socket inside the directory of a run (docs/design/sandbox.md). */
export const PLANE_SOCKET_NAME = 'plane.sock';

/** For root alone; its name does not tell where the installation keeps its state. */
const ROOT_PLANES = '/run/sandgate';

/**
 * Directory above the directories of all runs. A mount shows the place of its source to whoever is inside, so as root it is not in
 * the state folder.
 */
export function planeRoot(dataDir: string): string {
  if (process.getuid?.() !== 0) return join(dataDir, 'plane');
  return join(ROOT_PLANES, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
}

/** The directory of one run; it is bound read-only into the sandbox at `/run/sandgate`. */
export function planeDirectory(dataDir: string, runId: string): string {
  return join(planeRoot(dataDir), runId);
}

/** Makes the directory of all runs, closed to other users of this machine. @returns it */
export async function makePlaneRoot(dataDir: string): Promise<string> {
  const root = planeRoot(dataDir);
  await mkdir(root, { recursive: true, mode: 0o700 });
  return root;
}

/** Makes the directory of a run, which its own uid may enter once it is bound into the sandbox. @returns it */
export async function makePlaneDirectory(dataDir: string, runId: string): Promise<string> {
  await makePlaneRoot(dataDir);
  const directory = planeDirectory(dataDir, runId);
  await mkdir(directory, { recursive: true, mode: 0o755 });
  return directory;
}

/** Ids of the runs that have a directory here. */
export async function listPlaneDirectories(dataDir: string): Promise<string[]> {
  return (await namesIn(planeRoot(dataDir))).filter(isRowId);
}

/** Removes the directory of a run with its socket. Gone already is success. */
export async function removePlaneDirectory(dataDir: string, runId: string): Promise<void> {
  await rm(planeDirectory(dataDir, runId), { recursive: true, force: true });
}

/** Removes the directory of all runs where none has anything in it. */
export async function removePlaneRoot(dataDir: string): Promise<void> {
  try {
    await rmdir(planeRoot(dataDir));
  } catch (error) {
    if (!isSystemError(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) throw error;
  }
}

/** A name by which a socket can be bound or reached now. `release` ends its validity. */
export interface SocketAddress {
  path: string;
  release(): Promise<void>;
}

/**
 * The address of a socket file. A path beyond the limit of socket addresses is reached through an open descriptor of its
 * directory, so a deep data folder works too.
 */
export async function socketAddress(path: string): Promise<SocketAddress> {
  if (Buffer.byteLength(path) <= MAX_ADDRESS_BYTES) return { path, release: async () => {} };
  return throughDirectory(path);
}

/**
 * The address under which a socket is bound. Whoever connects can read it, from inside a sandbox too, so it names no folder of the
 * host where the system has descriptors by name.
 */
export async function bindingAddress(path: string): Promise<SocketAddress> {
  return process.platform === 'linux' ? throughDirectory(path) : socketAddress(path);
}

async function throughDirectory(path: string): Promise<SocketAddress> {
  const directory: FileHandle = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${directory.fd}/${basename(path)}`, release: () => directory.close() };
}

/** Whether somebody accepts connections on the plane socket of a run, within the time given. */
export async function planeSocketAccepts(dataDir: string, runId: string, timeoutMs: number): Promise<boolean> {
  let address: SocketAddress;
  try {
    address = await socketAddress(join(planeDirectory(dataDir, runId), PLANE_SOCKET_NAME));
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
  try {
    return await new Promise<boolean>((resolve) => {
      const socket = connect(address.path);
      const settle = (accepted: boolean): void => {
        socket.destroy();
        resolve(accepted);
      };
      socket.setTimeout(timeoutMs, () => settle(false));
      socket.once('connect', () => settle(true));
      socket.once('error', () => settle(false));
    });
  } finally {
    await address.release();
  }
}
