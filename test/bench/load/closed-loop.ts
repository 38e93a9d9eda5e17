import { spreadOf, type Spread } from './percentiles.js';

export interface LoopResult extends Spread {
  perSecond: number;
}

export interface Loop {
  callers: number;
  /** Unmeasured time before, for connections, caches and plans. */
  warmMs: number;
  ms: number;
  /** One call of a caller; rejects when the answer is not the expected one. */
  call(caller: number): Promise<unknown>;
}

/** Every caller sends its next call when its last one is answered. Calls that begin within the measured time count. */
export async function closedLoop(loop: Loop): Promise<LoopResult> {
  const times: number[] = [];
  const measureFrom = performance.now() + loop.warmMs;
  const until = measureFrom + loop.ms;
  let lastEnd = measureFrom;
  const callers = Array.from({ length: loop.callers }, async (_, caller) => {
    for (;;) {
      const start = performance.now();
      if (start >= until) return;
      await loop.call(caller);
      if (start < measureFrom) continue;
      lastEnd = performance.now();
      times.push(lastEnd - start);
    }
  });
  await Promise.all(callers);
  return { ...spreadOf(times), perSecond: times.length / ((lastEnd - measureFrom) / 1000) };
}
