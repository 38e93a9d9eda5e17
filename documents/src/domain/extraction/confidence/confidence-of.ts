import type { ScalarAnswer } from '../answer.js';

/** How probable it is that an answer is right; of null, that there is no value. @see documents/docs/confidence.md */
export function confidenceOf({ signals }: ScalarAnswer): number {
  const { read, find, fit, agree, ground } = signals;
  const log = -4 + 1 * read + 3 * find + 2 * fit + 1 * agree + 1 * ground;
  return 1 / (1 + Math.exp(-log));
}
