import { LRUCache } from 'lru-cache';
import { callKey, type PolicyViewText } from '../../../core/gate/tool-call-payloads.js';

/** A view that waits to be stored. */
export interface WaitingView extends PolicyViewText {
  organizationId: string;
}

/** The most that may wait to be written: some seconds of the busiest gate. */
const MAX_WAITING = 16_384;
const MAX_WAITING_BYTES = 33_554_432;
/** Views of one run that one process stores at most, so that an endless run does not fill the disk. */
const MAX_RUN_BYTES = 33_554_432;
/** Runs whose bytes are counted; the one that was counted longest ago is forgotten first. */
const MAX_RUNS = 10_000;

/** Views that wait to be written, bounded in number and bytes, together and per run. Each call stands in it once. */
export class ViewBuffer {
  private readonly waiting = new Map<string, WaitingView>();
  private readonly bytesOfRuns = new LRUCache<string, number>({ max: MAX_RUNS });
  private bytes = 0;

  get size(): number {
    return this.waiting.size;
  }

  /** Whether the view is in the buffer now; false when a bound does not allow it. */
  add(view: WaitingView): boolean {
    const key = callKey(view);
    if (this.waiting.has(key)) return true;
    const { length } = view.text;
    const ofRun = (this.bytesOfRuns.peek(view.runId) ?? 0) + length;
    if (this.waiting.size >= MAX_WAITING || this.bytes + length > MAX_WAITING_BYTES || ofRun > MAX_RUN_BYTES)
      return false;
    this.waiting.set(key, view);
    this.bytes += length;
    this.bytesOfRuns.set(view.runId, ofRun);
    return true;
  }

  /** Takes the views that have waited longest out, by organization. */
  take(most: number): Map<string, PolicyViewText[]> {
    const batch = new Map<string, PolicyViewText[]>();
    let taken = 0;
    for (const [key, view] of this.waiting) {
      if (taken === most) break;
      taken += 1;
      this.waiting.delete(key);
      this.bytes -= view.text.length;
      const views = batch.get(view.organizationId) ?? [];
      views.push(view);
      batch.set(view.organizationId, views);
    }
    return batch;
  }
}
