/** Made by documents/test/bench/extraction/fit.mjs; not written by hand. */
export const CONFIDENCE_WEIGHTS = {
  value: { bias: -3.383, odds: 0.803, read: 1.672, find: 1.206, fit: 0.5, agree: 0.829, ground: 0.061 },
  none: { bias: -3.226, odds: 0.564, read: 1.538, find: 0.0, fit: 0.474, agree: 0.587, ground: 0.074 },
  itemValue: { bias: -3.383, odds: 0.803, read: 1.672, find: 1.206, fit: 0.5, agree: 0.829, ground: 0.061 },
  itemNone: { bias: -3.226, odds: 0.564, read: 1.538, find: 0.0, fit: 0.474, agree: 0.587, ground: 0.074 },
} as const;
