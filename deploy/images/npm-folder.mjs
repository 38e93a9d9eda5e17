import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fail } from './root-file-system.mjs';

/** @returns where npm of this machine lies, as a folder named `npm`: that which runs this script, else the first on the PATH */
export function npmFolder() {
  const programs = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'npm'));
  for (const program of [process.env.npm_execpath, ...programs]) {
    if (program === undefined || !existsSync(program)) continue;
    const folder = path.dirname(path.dirname(realpathSync(program)));
    if (path.basename(folder) === 'npm' && existsSync(path.join(folder, 'bin/npx-cli.js'))) return folder;
  }
  return fail('npm was not found on this machine; without it no repository of JavaScript can be worked on');
}
