import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than anything takes that a test waits for, on a machine however busy. */
const PATIENCE_MS = 90_000;

/** Looks until what is read passes; answers what was read last, which the caller then expects. */
export async function until<T>(read: () => Promise<T> | T, passes: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (passes(value) || Date.now() > deadline) return value;
    await sleep(10);
  }
}
