import type { Signals } from '../model/signals.js';
import type { LeafTarget } from '../compile/target.js';
import type { Reading } from '../model/reading.js';
import { isFit } from '../values/fit.js';
import type { Candidate } from './candidate.js';

/** Candidates whose chances are compared. */
const MOST = 20;

/** What speaks for a candidate among all of its leaf. */
export function signalsOf(
  target: LeafTarget,
  chosen: Candidate,
  candidates: readonly Candidate[],
  agreement: number | undefined,
  reading: Reading,
): Signals {
  const words = chosen.at.flatMap((range) => reading.wordsOf(range));
  const read = words.length === 0 ? 0.99 : words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length;
  const repeats = chosen.features.repeats ?? 0;
  return {
    read,
    find: chanceOf(String(chosen.value), candidates),
    fit: isFit(target.node, chosen.value) ? 0.5 + 0.5 * (chosen.features.look ?? 0.5) : 0,
    agree: agreement ?? 0.5 + 0.4 * Math.min(1, repeats),
    ground: chosen.raw === chosen.value ? 1 : 0.95,
  };
}

/** How sure it is that there is no value: low where something near to one was turned down. */
export function signalsOfNone(candidates: readonly Candidate[], pages: readonly { confidence: number }[]): Signals {
  const near = candidates.slice(0, MOST).reduce((sum, { score }) => sum + Math.exp(score), 0);
  const read = pages.length === 0 ? 0.99 : pages.reduce((sum, { confidence }) => sum + confidence, 0) / pages.length;
  return { read, find: 1 / (1 + near), fit: 1, agree: 0.5, ground: 1 };
}

/** The chance of a value beside all others and none. */
function chanceOf(value: string, candidates: readonly Candidate[]): number {
  const byValue = new Map<string, number>();
  for (const { value: other, score } of candidates.slice(0, MOST)) {
    byValue.set(String(other), Math.max(byValue.get(String(other)) ?? -Infinity, score));
  }
  const all = [...byValue.values()].reduce((sum, score) => sum + Math.exp(score), 1);
  return Math.exp(byValue.get(value) ?? -Infinity) / all;
}
