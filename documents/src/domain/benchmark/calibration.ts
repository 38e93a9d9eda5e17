/** A leaf of a result: how sure it says it is, and whether it was right. */
export interface Judged {
  confidence: number;
  right: boolean;
}

/** A figure with the bounds in which 95 % of resamples of the documents lie. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

export interface Calibration {
  leaves: number;
  /** How probable it is that of a right and a wrong leaf the right one is the surer; null where all are right, or all wrong. */
  auroc: Estimate | null;
  /** Expected calibration error in ten bins of equal size. */
  ece: Estimate | null;
}

const BINS = 10;
const RESAMPLES = 500;

/** @param documents the leaves of each document, by which resamples are drawn; the same ones each time */
export function calibrationOf(documents: readonly (readonly Judged[])[]): Calibration {
  const all = documents.flat();
  const draw = drawsOf(documents.length);
  const resamples = Array.from({ length: RESAMPLES }, () => documents.flatMap(() => documents[draw()] ?? []));
  const estimate = (measure: (leaves: readonly Judged[]) => number | null): Estimate | null => {
    const value = measure(all);
    if (value === null) return null;
    const drawn = resamples.flatMap((leaves) => measure(leaves) ?? []).sort((one, other) => one - other);
    const at = (share: number): number => drawn[Math.round(share * (drawn.length - 1))] ?? value;
    return { value, low: at(0.025), high: at(0.975) };
  };
  return { leaves: all.length, auroc: estimate(aurocOf), ece: estimate(eceOf) };
}

/** Equal confidences count half. */
export function aurocOf(leaves: readonly Judged[]): number | null {
  const right = leaves.filter((leaf) => leaf.right).length;
  const wrong = leaves.length - right;
  if (right === 0 || wrong === 0) return null;
  const sorted = [...leaves].sort((one, other) => one.confidence - other.confidence);
  let rankSum = 0;
  for (let from = 0; from < sorted.length;) {
    let to = from;
    while (to < sorted.length && sorted[to]?.confidence === sorted[from]?.confidence) to++;
    const meanRank = (from + 1 + to) / 2;
    for (let at = from; at < to; at++) if (sorted[at]?.right === true) rankSum += meanRank;
    from = to;
  }
  return (rankSum - (right * (right + 1)) / 2) / (right * wrong);
}

export function eceOf(leaves: readonly Judged[]): number | null {
  if (leaves.length === 0) return null;
  const sorted = [...leaves].sort((one, other) => one.confidence - other.confidence);
  let sum = 0;
  for (let bin = 0; bin < BINS; bin++) {
    const part = sorted.slice(Math.floor((bin * sorted.length) / BINS), Math.floor(((bin + 1) * sorted.length) / BINS));
    const apart = part.reduce((total, { confidence, right }) => total + confidence - Number(right), 0);
    sum += Math.abs(apart);
  }
  return sum / sorted.length;
}

/** Numbers from 0 below `count`, in the same order each time (mulberry32). */
function drawsOf(count: number): () => number {
  let state = 20_261_127;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  };
}
