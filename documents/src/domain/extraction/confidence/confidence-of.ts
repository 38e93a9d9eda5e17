import type { Signals } from '../model/signals.js';
import { CONFIDENCE_WEIGHTS } from './confidence-weights.js';

/** What an answer says: a value or that there is none, as a field of the document or in an item of a list. */
export const CLAIMS = ['value', 'none', 'itemValue', 'itemNone'] as const;
export type Claim = (typeof CLAIMS)[number];

/** What is weighed of the signals: each by itself, and how sure `find` is as a logarithm of its odds. */
export interface ConfidenceWeights extends Record<keyof Signals, number> {
  bias: number;
  odds: number;
}

export type ClaimWeights = Readonly<Record<Claim, ConfidenceWeights>>;

/** Odds beyond this say nothing more. */
const MOST_ODDS = 5;
const CAPS = { notLocated: 0.6, misfit: 0.3, hardlyRead: 0.7 } as const;
/** A value that its place does not say has this `ground` at most. */
const NOT_LOCATED = 0.2;
const HARDLY_READ = 0.5;
const ITEM = /\/\d+(?:\/|$)/u;

/** @param path JSON pointer of the leaf, with the numbers of items */
export function claimOf(isNull: boolean, path: string): Claim {
  if (ITEM.test(path)) return isNull ? 'itemNone' : 'itemValue';
  return isNull ? 'none' : 'value';
}

/**
 * How probable it is that an answer is right; of null, that there is no value.
 *
 * @param weights others than those of this version, as while they are fitted
 * @see documents/docs/confidence.md
 */
export function confidenceOf(claim: Claim, signals: Signals, weights: ClaimWeights = CONFIDENCE_WEIGHTS): number {
  const probable = 1 / (1 + Math.exp(-weigh(signals, weights[claim])));
  return claim === 'none' || claim === 'itemNone' ? probable : Math.min(probable, capOf(signals));
}

/** @returns logarithm of the odds */
export function weigh(signals: Signals, weights: ConfidenceWeights): number {
  return termsOf(signals).reduce((sum, [name, term]) => sum + weights[name] * term, 0);
}

/** What the weights are multiplied with. */
export function termsOf(signals: Signals): [keyof ConfidenceWeights, number][] {
  const { read, find, fit, agree, ground } = signals;
  const bounded = Math.min(1 - 1e-6, Math.max(1e-6, find));
  const odds = Math.max(-MOST_ODDS, Math.min(MOST_ODDS, Math.log(bounded / (1 - bounded))));
  return [
    ['bias', 1],
    ['odds', odds / MOST_ODDS],
    ['read', read],
    ['find', find],
    ['fit', fit],
    ['agree', agree],
    ['ground', ground],
  ];
}

function capOf({ read, fit, ground }: Signals): number {
  const caps = [
    ground <= NOT_LOCATED ? CAPS.notLocated : 1,
    fit === 0 ? CAPS.misfit : 1,
    read < HARDLY_READ ? CAPS.hardlyRead : 1,
  ];
  return Math.min(...caps);
}
