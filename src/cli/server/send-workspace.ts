import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { BASE_COMMIT_HEADER, LEFT_OUT_HEADER } from '../../domain/workspace/upload-limits.js';
import type { PackedWorkspace } from '../../embedded/pack-workspace.js';
import type { ServerConnection } from './connection.js';
import { fetchFrom, refusalOf } from './sandgate-client.js';
import type { Upload } from './wire.js';

/** As long as the server gives it. */
const TIMEOUT_MS = 3_600_000;

/** Sends packed files to the server, for one run. Throws `CliError` with the server's sentence when it refuses them. */
export async function sendWorkspace(connection: ServerConnection, packed: PackedWorkspace): Promise<Upload> {
  const headers = {
    authorization: `Bearer ${connection.token}`,
    'content-type': 'application/gzip',
    'idempotency-key': randomUUID(),
    [LEFT_OUT_HEADER]: String(packed.leftOut),
    ...(packed.baseCommit === null ? {} : { [BASE_COMMIT_HEADER]: packed.baseCommit }),
  };
  const body = await openAsBlob(packed.path);
  const request = new Request(`${connection.url}/v1/workspaces`, { method: 'POST', headers, body });
  const response = await fetchFrom(connection, request, AbortSignal.timeout(TIMEOUT_MS));
  if (!response.ok) throw await refusalOf(response, connection.context);
  return ((await response.json()) as { workspace: Upload }).workspace;
}
