import type { Logger } from '../../../src/platform/telemetry/logger.js';

/** Repeats a task for as long as the process lives; a round that fails is logged and the next one tries again. */
export function everyWhileAlive(ms: number, log: Pick<Logger, 'warn'>, duty: () => Promise<void>): { stop(): void } {
  const timer = setInterval(() => {
    duty().catch((cause: unknown) => log.warn({ err: cause }, 'a repeated duty failed; trying again'));
  }, ms);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
