/** Times of one kind, in milliseconds. */
export interface Spread {
  count: number;
  mean: number;
  p50: number;
  p99: number;
  max: number;
}

/** @throws RangeError when nothing was measured */
export function spreadOf(times: readonly number[]): Spread {
  if (times.length === 0) throw new RangeError('nothing was measured');
  const sorted = Float64Array.from(times).sort();
  const sum = sorted.reduce((total, time) => total + time, 0);
  return {
    count: sorted.length,
    mean: sum / sorted.length,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    max: sorted[sorted.length - 1] as number,
  };
}

/** Nearest rank. */
function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] as number;
}
