import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work between two turns of the event loop. Other requests wait at most this long, plus one call that is slow by itself. */
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
