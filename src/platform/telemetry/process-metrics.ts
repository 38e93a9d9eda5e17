import { collectDefaultMetrics, Registry } from 'prom-client';

/** The default of 10 ms would keep an idle process busy. */
const EVENT_LOOP_LOOK_MS = 50;

let collected: Registry | undefined;

/**
 * What Node tells of this process: memory, garbage collections, lag of the event loop. It is collected once, however many registries
 * show it, because what observes a process is never taken away again.
 */
export function processMetrics(): Registry {
  if (collected === undefined) {
    collected = new Registry();
    collectDefaultMetrics({ register: collected, eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS });
  }
  return collected;
}
