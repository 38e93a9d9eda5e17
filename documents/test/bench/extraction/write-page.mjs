/** `node documents/test/bench/extraction/write-page.mjs --gold FOLDER`: measures in every way, and writes `documents/docs/benchmark.md`. */
import { runFromSources } from './run-from-sources.mjs';

runFromSources('write-page.ts');
