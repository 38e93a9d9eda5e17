import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { TemporalOutboxDispatcher } from '../core/driver/outbox-dispatcher.js';
import { readStaleOutbox } from '../core/record/outbox.js';
import type { Record } from '../core/record/record.js';
import { whileHeartbeating } from '../../../src/platform/temporal/heartbeats.js';

export interface RelaySteps {
  relayOutbox(): Promise<void>;
}

export interface RelayDependencies {
  record: Pick<Record, 'query'>;
  dispatcher: Pick<TemporalOutboxDispatcher, 'deliver'>;
  staleMs: number;
  log: { warn(fields: object, message: string): void };
}

const BATCH = 500;

/** Keeps the outbox empty: what a process committed but could not send is sent here, two seconds later. */
export function createRelayActivities(on: RelayDependencies): RelaySteps {
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
    const rows = await readStaleOutbox(on.record, on.staleMs, BATCH);
    if (rows.length > 0) await on.dispatcher.deliver(rows);
  } catch (cause) {
    on.log.warn({ err: cause }, 'the outbox could not be relayed; trying again');
  }
}
