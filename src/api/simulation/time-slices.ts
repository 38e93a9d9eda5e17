import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work between two turns of the event loop. What others wait for is at most this, and one call that takes long by itself. */
const SLICE_MS = 4;

/** Cuts long work into slices, so that other requests of the process are served in between. */
export class TimeSlices {
  private startedAt = performance.now();

  /** Returns at once within a slice, else after everything else that was ready has run. */
  async rest(): Promise<void> {
    if (performance.now() - this.startedAt < SLICE_MS) return;
    await nextTurn();
    this.startedAt = performance.now();
  }
}
