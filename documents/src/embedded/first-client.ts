import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isSystemError } from '../../../src/domain/system-error.js';
import { makeFirstOrganization, newCredentials } from '../core/access/make-organization.js';
import type { Record } from '../core/record/record.js';

/** The administrator client of a new installation, as its file holds it. */
export interface KeptClient {
  /** The one origin for which the command line of this host uses it. */
  readonly apiUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Makes, where there is no organization yet, one with an administrator client whose secret is in a file for its owner alone. The
 * secret is on the disk before the client is in the database, so that a start that is killed in between leaves no client that nobody can
 * use. Later starts write the current address into the file.
 *
 * @returns whether the file holds a client that can be used
 */
export async function keepFirstClient(record: Record, path: string, apiUrl: string): Promise<boolean> {
  const draft = `${path}.new`;
  const kept = readClient(path) ?? readClient(draft) ?? newCredentials();
  write(draft, { ...kept, apiUrl });
  const usable = await makeFirstOrganization(record, kept);
  if (usable) renameSync(draft, path);
  else rmSync(draft);
  return usable;
}

function write(path: string, client: KeptClient): void {
  writeFileSync(path, `${JSON.stringify(client, null, 2)}\n`, { mode: 0o600, flush: true });
}

/** Null where there is none, or where a start was killed while it wrote. */
function readClient(path: string): Omit<KeptClient, 'apiUrl'> | null {
  try {
    const client = JSON.parse(readFileSync(path, 'utf8')) as Partial<KeptClient>;
    return typeof client.clientId === 'string' && typeof client.clientSecret === 'string'
      ? { clientId: client.clientId, clientSecret: client.clientSecret }
      : null;
  } catch (error) {
    if (error instanceof SyntaxError || isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}
