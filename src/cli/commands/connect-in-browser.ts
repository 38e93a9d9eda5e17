import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { readConnection, readTools } from '../server/connections.js';
import { textOf } from '../server/event-data.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import type { Connection } from '../server/wire.js';
import { inline } from '../terminal/escape.js';
import { openBrowser } from '../terminal/open-browser.js';
import type { Connected } from './connected.js';

const POLL_MS = 1_000;
/** A flow lasts ten minutes; the work of its callback may end a little later. */
const PATIENCE_MS = 11 * 60_000;

export interface BrowserFlags {
  /** False with `--no-browser`: the address is printed alone. */
  readonly browser: boolean;
}

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
  const opened = flags.browser && (await openBrowser(goUrl));
  const lead = opened ? 'A browser was opened. If it shows nothing, open' : 'Open in a browser, within ten minutes:';
  process.stderr.write(
    `${lead}\n\n  ${inline(goUrl)}\n\nWaiting for ${inline(before.display_name)} (Ctrl+C ends the wait)…\n`,
  );
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const connection = await readConnection(client, before.id);
    const connected = await connectedSince(client, before, connection);
    if (connected !== null) return connected;
  }
  throw new CliError(
    `nobody finished connecting ${inline(before.display_name)} in time; start again with: sandgate connections connect ${before.id}`,
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
