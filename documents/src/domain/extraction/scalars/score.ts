import type { LeafTarget } from '../compile/target.js';
import { isFit } from '../values/fit.js';
import { placeOf, type Candidate } from './candidate.js';
import { type Family, familyOf, FEATURES, type Features } from './features.js';
import { WEIGHTS } from './weights.js';

/** What is weighed how much, by the family of a leaf. */
export type AllWeights = Readonly<Record<Family, Features>>;

/** What a leaf without a label near is found by: where it stands, when no more than its kind and place say which one is meant. */
const STANDS_OUT: ReadonlySet<string> = new Set([
  'issue',
  'agreement-date',
  'issuer',
  'registrant',
  'title',
  'full-name',
  'address',
  'currency',
  'total',
  'commitment',
]);

/** Candidates with their scores, the best first; of several for the same words and value the best. A score above 0 beats none. */
export function ranked(
  target: LeafTarget,
  candidates: readonly Candidate[],
  { [familyOf(target)]: weights }: AllWeights = WEIGHTS,
): Candidate[] {
  const best = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const features = { ...candidate.features, ...leafFeatures(target, candidate) };
    const score = scoreOf(features, weights);
    const key = `${placeOf(candidate)} ${String(candidate.value)}`;
    const known = best.get(key);
    if (known === undefined || score > known.score) best.set(key, { ...candidate, features, score });
  }
  return [...best.values()].sort((one, other) => other.score - one.score || orderOf(one, other));
}

/** What depends on the leaf and the value together. */
function leafFeatures(target: LeafTarget, { value, features }: Candidate): Features {
  const isNamed = (features.label ?? 0) > 0;
  const mayBeUnnamed = isNamed || features.narrow === 1 || (target.role !== null && STANDS_OUT.has(target.role));
  return { ...(mayBeUnnamed ? {} : { unnamed: 1 }), ...(isFit(target.node, value) ? {} : { misfit: 1 }) };
}

export function scoreOf(features: Features, weights: Features): number {
  let sum = 0;
  for (const feature of FEATURES) sum += (weights[feature] ?? 0) * (features[feature] ?? 0);
  return sum;
}

/** Reading order. */
function orderOf(one: Candidate, other: Candidate): number {
  const [a, b] = [one.at[0], other.at[0]];
  return (
    (a?.pageNumber ?? 0) - (b?.pageNumber ?? 0) || (a?.first ?? 0) - (b?.first ?? 0) || (a?.last ?? 0) - (b?.last ?? 0)
  );
}
