/** `node documents/test/bench/extraction/fit.mjs --gold FOLDER`: fits the weights of candidates and of confidence, and writes them into the sources. */
import { runFromSources } from './run-from-sources.mjs';

runFromSources('fit-weights.ts');
