/** `node documents/test/bench/extraction/write-generated.mjs --into FOLDER`: writes the generated classes, to be measured as gold. */
import { runFromSources } from './run-from-sources.mjs';

runFromSources('write-generated.ts');
