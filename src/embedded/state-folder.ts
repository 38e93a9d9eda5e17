import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StartRefused } from './start-refused.js';

/**
 * A unix socket's path holds 107 bytes, and `<data>/plane/<run id>/plane.sock` with its temporary name takes 59 of them.
 */
const MAX_PATH_BYTES = 48;

/** Where the parts of one installation lie inside its state folder. */
export interface StateFolder {
  readonly dir: string;
  readonly lock: string;
  readonly ports: string;
  readonly adminToken: string;
  readonly kek: string;
  readonly ledgerKey: string;
  readonly postgresData: string;
  readonly postgresSocketDir: string;
  readonly temporalStore: string;
  readonly logs: string;
  /** What the presets of agents' networks stand for, once learned. */
  readonly networkPresets: string;
}

/** Makes the state folder of Sandgate with its inner folders. @throws StartRefused as {@link makeOwnFolder} does */
export function openStateFolder(dir: string): StateFolder {
  makeOwnFolder(dir, MAX_PATH_BYTES, 'SERVICE_DATA_DIR');
  const folder = locate(dir);
  for (const inner of [folder.postgresSocketDir, folder.logs]) mkdirSync(inner, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * Makes a state folder, for its owner alone.
 *
 * @param variable the setting that names it
 * @throws StartRefused when another user owns it, or its path is too long for the sockets inside it
 */
export function makeOwnFolder(dir: string, maxPathBytes: number, variable: string): void {
  if (Buffer.byteLength(dir) > maxPathBytes) {
    throw new StartRefused(
      `the state folder ${dir} has a path of more than ${maxPathBytes} bytes, too long for the sockets inside it; set ${variable} to a shorter one`,
    );
  }
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const owner = statSync(dir).uid;
  const self = process.getuid?.() ?? owner;
  if (owner !== self) {
    throw new StartRefused(
      `the state folder ${dir} belongs to user id ${owner}, not to this user (${self}); set ${variable} to one of your own`,
    );
  }
  chmodSync(dir, 0o700);
}

export function locate(dir: string): StateFolder {
  return {
    dir,
    lock: join(dir, 'supervisor.json'),
    ports: join(dir, 'ports.json'),
    adminToken: join(dir, 'admin-token'),
    kek: join(dir, 'kek'),
    ledgerKey: join(dir, 'ledger-key.pem'),
    postgresData: join(dir, 'postgres'),
    postgresSocketDir: join(dir, 'pg'),
    temporalStore: join(dir, 'temporal.db'),
    logs: join(dir, 'logs'),
    networkPresets: join(dir, 'network-presets.yaml'),
  };
}
