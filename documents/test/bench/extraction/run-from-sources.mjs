import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Runs a program of this folder from the sources, with the words of the command line, and ends as it does. */
export function runFromSources(program) {
  const options = [
    ...['--experimental-transform-types', '--disable-warning=ExperimentalWarning', '--max-old-space-size=6000'],
    ...['--import', here('from-sources.mjs')],
  ];
  const words = [...options, here(program), ...process.argv.slice(2)];
  process.exit(spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1);
}
