/**
 * `node documents/test/bench/extraction/fit.mjs --gold FOLDER [--evaluate]`: runs `fit-weights.ts` from the sources.
 * With `--write-generated FOLDER` it writes the generated classes there instead, to be measured as gold.
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
const [first, ...rest] = process.argv.slice(2);
const words =
  first === '--write-generated'
    ? ['write-generated.ts', '--into', ...rest]
    : ['fit-weights.ts', ...process.argv.slice(2)];
const [program, ...given] = words;
const { status } = spawnSync(process.execPath, [...options, here(program), ...given], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
