/** `node documents/test/bench/extraction/fit.mjs --gold FOLDER [--evaluate]`: fits the weights, and writes them into the sources. */
import { runFromSources } from './run-from-sources.mjs';

runFromSources('fit-weights.ts');
