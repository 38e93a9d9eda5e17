import type { ConfidenceWeights, Claim } from './confidence-of.js';

/** Made by documents/test/bench/extraction/measure.mjs --fit-confidence; not written by hand. */
export const CONFIDENCE_WEIGHTS: Readonly<Record<Claim, ConfidenceWeights>> = {
  value: { bias: -4, read: 1, find: 3, fit: 2, agree: 1, ground: 1 },
  inferred: { bias: -4, read: 1, find: 3, fit: 2, agree: 1, ground: 1 },
  absent: { bias: -4, read: 1, find: 3, fit: 2, agree: 1, ground: 1 },
};
