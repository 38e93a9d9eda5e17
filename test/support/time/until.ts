import { setTimeout as sleep } from 'node:timers/promises';
import { pauseAfter } from './pause.js';

/** Longer than anything takes that a test waits for, on a machine however busy. */
const PATIENCE_MS = 90_000;

const REQUIRED_WITHIN_MS = 60_000;

/** Waits until `holds` does. @throws after a minute */
export async function untilHolds(holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + REQUIRED_WITHIN_MS; !holds(); await sleep(5)) {
    if (Date.now() > deadline) throw new Error('what the test waits for did not come true within a minute');
  }
}

/** Looks until what is read passes; answers what was read last, which the caller then expects. */
export async function until<T>(read: () => Promise<T> | T, passes: (value: T) => boolean): Promise<T> {
  const start = Date.now();
  for (;;) {
    const value = await read();
    const waited = Date.now() - start;
    if (passes(value) || waited > PATIENCE_MS) return value;
    await sleep(pauseAfter(waited, 10));
  }
}

/** Tries until the check passes. @throws what it threw last */
export async function eventually(check: () => Promise<void>): Promise<void> {
  const start = Date.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      const waited = Date.now() - start;
      if (waited > PATIENCE_MS) throw error;
      await sleep(pauseAfter(waited, 10));
    }
  }
}
