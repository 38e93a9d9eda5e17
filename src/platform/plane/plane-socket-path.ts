import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- sockets of this host's own folders
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { isSystemError } from '../../domain/system-error.js';

/** Longest path that a unix socket address holds on Linux, without its closing NUL. */
const MAX_ADDRESS_BYTES = 107;

/** Name of the socket inside the directory of a run (04-sandbox §5). */
export const PLANE_SOCKET_NAME = 'plane.sock';

/** Directory above the directories of all runs. */
export function planeRoot(dataDir: string): string {
  return join(dataDir, 'plane');
}

/** The directory of one run; it is bound read-only into the sandbox at `/run/sandgate`. */
export function planeDirectory(dataDir: string, runId: string): string {
  return join(planeRoot(dataDir), runId);
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
  const directory: FileHandle = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${directory.fd}/${path.slice(dirname(path).length + 1)}`,
    release: () => directory.close(),
  };
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
