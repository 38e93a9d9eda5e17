/** `node documents/test/bench/extraction/measure.mjs --gold FOLDER [--class NAME] [--errors 50]`: extracts from a folder with gold. */
import { runFromSources } from './run-from-sources.mjs';

runFromSources('measure-extraction.ts');
