import { setTimeout as sleep } from 'node:timers/promises';
import type { SandgateClient } from '../server/sandgate-client.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';

const ASK_EVERY_MS = 1_000;
/** A first start brings the schema up to date and tries the engine; a small machine takes a minute for it. */
const READY_WITHIN_MS = 300_000;

interface Waiting {
  signal: AbortSignal;
  /** Told once for every reason to wait. */
  notify: (reason: string) => void;
  withinMs?: number;
  everyMs?: number;
}

/**
 * Waits until a server that is being started can carry a run: it answers, takes our token, and a sandbox host has reported to it.
 * @throws CliError with what was missing to the end; at once for a token that is refused
 */
export async function awaitServer(
  client: SandgateClient,
  { signal, notify, withinMs = READY_WITHIN_MS, everyMs = ASK_EVERY_MS }: Waiting,
): Promise<void> {
  let told: string | undefined;
  for (const deadline = Date.now() + withinMs; ; await sleep(everyMs, undefined, { signal })) {
    const reason = await reasonToWait(client);
    if (reason === null) return;
    if (Date.now() > deadline) throw new CliError(`the server is not ready: ${reason}`, EXIT.unreachable);
    if (reason !== told) notify(`  waiting: ${reason}`);
    told = reason;
  }
}

/** @returns null where nothing is missing */
async function reasonToWait(client: SandgateClient): Promise<string | null> {
  try {
    const ready = await client.call((api) => api.GET('/v1/health/ready'));
    await client.call((api) => api.GET('/v1/harnesses'));
    return ready.provider_ok ? null : 'no sandbox host has reported yet; the log of the worker says why';
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode === EXIT.unauthorized) throw error;
    return error.message;
  }
}
