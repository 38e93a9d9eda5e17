import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { BootstrapError } from './bootstrap-error.mjs';
import { withCheckoutLock } from './checkout-lock.mjs';
import { capture, reasonOf, root, say } from './processes.mjs';

/** Installs the locked packages when they are missing or are not those of the lock file. */
export async function ensurePackages() {
  if (!isInstalled()) await withCheckoutLock(install);
}

function install() {
  // Another bootstrap may have done it while this one waited.
  if (isInstalled()) return;
  say('Installing packages (npm ci) …');
  const env = { ...process.env, PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH || ''}` };
  // Under `npm run`, a folder of the caller and its settings would be taken for this project's.
  delete env.npm_config_prefix;
  const result = capture('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { env });
  if (result.ok && isInstalled()) return;
  throw new BootstrapError(
    `the packages could not be installed (${reasonOf(result)}); connect this machine to an npm registry, or bring node_modules from a machine where \`npm ci\` works`,
  );
}

/** npm records what it installed; compared with the lock file this also notices a changed lock. Optional packages may be absent. */
function isInstalled() {
  const wanted = readPackages('package-lock.json');
  const present = readPackages('node_modules/.package-lock.json');
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(([place, entry]) => {
    if (place === '' || entry.link) return true;
    const found = present[place];
    if (found === undefined) return Boolean(entry.optional || entry.peer);
    return found.version === entry.version;
  });
}

function readPackages(name) {
  try {
    return JSON.parse(fs.readFileSync(path.join(root, name), 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
