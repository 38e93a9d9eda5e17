/** Made by documents/test/bench/extraction/fit.mjs; not written by hand. */
export const CONFIDENCE_WEIGHTS = {
  value: { bias: -3.341, odds: 0.692, read: 1.044, find: 0.453, fit: 1.645, agree: 1.354, ground: 0.184 },
  none: { bias: -3.55, odds: 0.724, read: 0.959, find: 0.514, fit: 0.15, agree: 0.425, ground: 0 },
  itemValue: { bias: -2.761, odds: 2.154, read: 1.435, find: 1.214, fit: 0.946, agree: 0.801, ground: 0 },
  itemNone: { bias: -2.567, odds: 0.476, read: 1.429, find: 0.189, fit: 1.134, agree: 0.917, ground: 0.733 },
} as const;
