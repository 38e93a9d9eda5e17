import { parseArgs } from 'node:util';
import { goldClassesOf } from '../../../src/embedded/benchmark/gold-classes.js';
import { writeConfidence } from './fit-confidence.js';
import { LeftOut } from './left-out.js';
import { ReadingCache } from './reading-cache.js';
import { writeWeights } from './write-weights.js';

/**
 * Fits the weights of candidates to a folder with gold and writes them into the sources; then those of confidence, to what becomes of each document by
 * weights that were fitted without it.
 */
const { values: asked } = parseArgs({ options: { gold: { type: 'string' } } });
if (asked.gold === undefined) {
  process.stderr.write('fit-weights: name the folder of the gold with --gold\n');
  process.exit(2);
}
const cache = new ReadingCache();
try {
  const { fit, confidence } = await LeftOut.of(goldClassesOf(asked.gold), cache);
  writeWeights(fit.weights());
  writeConfidence(confidence.weights());
} finally {
  await cache.close();
}
