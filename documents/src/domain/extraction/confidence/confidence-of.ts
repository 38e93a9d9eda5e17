import type { ScalarAnswer, Signals } from '../answer.js';
import { CONFIDENCE_WEIGHTS } from './confidence-weights.js';

/** What an answer claims: that a value is printed, that it follows from what is there, or that there is none. */
export const CLAIMS = ['value', 'inferred', 'absent'] as const;
export type Claim = (typeof CLAIMS)[number];

/** How much each signal says; `bias` is what is said without one. */
export type ConfidenceWeights = Readonly<Record<'bias' | keyof Signals, number>>;

/** Of an answer that is not located, that fails the schema, and that was hardly read. */
const CAPS = { unlocated: 0.6, misfit: 0.3, unread: 0.7 } as const;

/** How probable it is that an answer is right; of null, that there is no value. @see documents/docs/confidence.md */
export function confidenceOf({ value, evidence, signals }: ScalarAnswer): number {
  const isInferred = evidence === null || evidence.match === 'inferred';
  const claim = value === null ? 'absent' : isInferred ? 'inferred' : 'value';
  return confidenceIn(claim, signals, CONFIDENCE_WEIGHTS[claim]);
}

/** The same by weights that are given, as while they are fitted. */
export function confidenceIn(claim: Claim, signals: Signals, weights: ConfidenceWeights): number {
  const { read, find, fit, agree, ground } = signals;
  const log =
    weights.bias +
    weights.read * read +
    weights.find * find +
    weights.fit * fit +
    weights.agree * agree +
    weights.ground * ground;
  return Math.min(1 / (1 + Math.exp(-log)), capOf(claim, signals));
}

function capOf(claim: Claim, { read, fit, ground }: Signals): number {
  if (claim === 'absent') return 1;
  return Math.min(ground < 0.5 ? CAPS.unlocated : 1, fit === 0 ? CAPS.misfit : 1, read < 0.5 ? CAPS.unread : 1);
}
