import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureSecret } from '../../../src/embedded/generated-secrets.js';
import { makeOwnFolder } from '../../../src/embedded/state-folder.js';

/** A unix socket's path holds 107 bytes, and `<folder>/pg/.s.PGSQL.5432` takes 20 of them beside the folder's. */
const MAX_PATH_BYTES = 80;

/** Where the parts of one installation of the documents service lie. */
export interface DocsvcFolder {
  readonly dir: string;
  /** Tells whether the installation runs, and where. */
  readonly lock: string;
  readonly ports: string;
  readonly sealKey: string;
  /** The client that the first start made, with its secret. */
  readonly firstClient: string;
  readonly postgresData: string;
  readonly postgresSocketDir: string;
  readonly temporalStore: string;
  readonly logs: string;
}

/**
 * Makes the state folder, for its owner alone, with a sealing key in it that never changes afterwards.
 *
 * @throws StartRefused when another user owns it, or its path is too long for sockets
 */
export function openDocsvcFolder(dir: string): DocsvcFolder {
  makeOwnFolder(dir, MAX_PATH_BYTES, 'DOCSVC_DATA_DIR');
  const folder = locateDocsvc(dir);
  for (const inner of [folder.postgresSocketDir, folder.logs]) mkdirSync(inner, { recursive: true, mode: 0o700 });
  ensureSecret(folder.sealKey, () => randomBytes(32).toString('hex'));
  return folder;
}

export function locateDocsvc(dir: string): DocsvcFolder {
  return {
    dir,
    lock: join(dir, 'supervisor.json'),
    ports: join(dir, 'ports.json'),
    sealKey: join(dir, 'seal-key'),
    firstClient: join(dir, 'first-client.json'),
    postgresData: join(dir, 'postgres'),
    postgresSocketDir: join(dir, 'pg'),
    temporalStore: join(dir, 'temporal.db'),
    logs: join(dir, 'logs'),
  };
}
