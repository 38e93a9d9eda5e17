import { CliError, EXIT } from '../terminal/exit-codes.js';
import { readConnection, readTools } from '../server/connections.js';
import { textOf } from '../server/event-data.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import type { Connection } from '../server/wire.js';
import { inline } from '../terminal/escape.js';
import { visitInBrowser, type BrowserFlags } from './browser-visit.js';
import type { Connected } from './connected.js';

/** A flow lasts ten minutes; the work of its callback may end a little later. */
const PATIENCE_MS = 11 * 60_000;

/**
 * Sends a person to the page that connects, and waits until the connection is active and has a tool snapshot. Messages meanwhile go
 * to standard error.
 *
 * @param before the connection as it was: a newer authorization than its last one is waited for
 * @throws CliError when the connection failed, was revoked, or nobody finished in time
 */
export async function connectInBrowser(
  client: SandgateClient,
  before: Connection,
  goUrl: string,
  flags: BrowserFlags,
): Promise<Connected> {
  const name = inline(before.display_name);
  return visitInBrowser(
    {
      goUrl,
      what: name,
      within: 'ten minutes',
      patienceMs: PATIENCE_MS,
      look: async () => connectedSince(client, before, await readConnection(client, before.id)),
      again: `sandgate connections connect ${before.id}`,
    },
    flags,
  );
}

async function connectedSince(
  client: SandgateClient,
  before: Connection,
  connection: Connection,
): Promise<Connected | null> {
  const name = inline(connection.display_name);
  if (connection.status === 'revoked') throw new CliError(`${name} was revoked meanwhile`, EXIT.conflict);
  if (activation(connection) === activation(before)) return null;
  if (connection.status === 'error') {
    const note = textOf(connection.oauth ?? {}, 'error') || 'its tools could not be read';
    throw new CliError(`${name} was authorized and cannot be used: ${inline(note)}`);
  }
  if (connection.status !== 'active') return null;
  const snapshot = await readTools(client, connection.id);
  const isOfThis = snapshot?.authorization_generation === connection.authorization_generation;
  return isOfThis && snapshot !== null ? { connection, snapshot } : null;
}

/** When it was last authorized; empty for one that never was. */
function activation({ oauth }: Connection): string {
  return textOf(oauth ?? {}, 'activated_at');
}
