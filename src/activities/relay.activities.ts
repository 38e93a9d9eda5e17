import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../core/record/database.js';
import { readStaleOutbox } from '../core/record/outbox.js';
import type { TemporalOutboxDispatcher } from '../core/driver/outbox-dispatcher.js';
import { whileHeartbeating } from '../platform/temporal/heartbeats.js';
import type { RelayActivities } from './run-activities.js';

export interface RelayDependencies {
  database: Database;
  dispatcher: TemporalOutboxDispatcher;
  staleMs: number;
  log: { warn(fields: Record<string, unknown>, message: string): void };
}

const BATCH = 500;

/** Keeps the outbox empty: what a process committed but could not send is sent here, 2 s later (docs/design/workflows.md). */
export function createRelayActivities(on: RelayDependencies): RelayActivities {
  return {
    relayOutbox: () =>
      whileHeartbeating(async (signal) => {
        const stopped = once(signal, 'abort');
        while (!signal.aborted) {
          await relayOnce(on);
          await Promise.race([delay(on.staleMs, undefined, { ref: false }), stopped]);
        }
        signal.throwIfAborted();
      }),
  };
}

/** An unreachable database or driver is waited out: the next round finds the same rows. */
async function relayOnce(on: RelayDependencies): Promise<void> {
  try {
    const rows = await readStaleOutbox(on.database.pool, on.staleMs, BATCH);
    if (rows.length > 0) await on.dispatcher.deliver(rows);
  } catch (cause) {
    on.log.warn({ err: cause }, 'the outbox could not be relayed; trying again');
  }
}
