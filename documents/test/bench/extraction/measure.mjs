/**
 * `node documents/test/bench/extraction/measure.mjs --gold FOLDER [--class NAME] [--errors 50]`: runs `measure-extraction.ts` from the sources.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const options = [
  '--experimental-transform-types',
  '--disable-warning=ExperimentalWarning',
  '--max-old-space-size=6000',
  '--import',
  here('from-sources.mjs'),
];
const { status } = spawnSync(process.execPath, [...options, here('measure-extraction.ts'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
