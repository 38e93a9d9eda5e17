import { setTimeout as delay } from 'node:timers/promises';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import type { SandgateClient } from './sandgate-client.js';
import type { RunEvent } from './wire.js';

const RECONNECT_MS = 500;

/** Every event of a run after `after`, once and in order; reconnects where the connection breaks. Ends when `signal` says so. */
export async function* followRunEvents(
  client: SandgateClient,
  runId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  let last = after;
  while (!signal.aborted) {
    try {
      for await (const event of client.events(runId, last, signal)) {
        if (event.seq <= last) continue;
        last = event.seq;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CliError && error.exitCode !== EXIT.unreachable) throw error;
    }
    await delay(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
  }
}
