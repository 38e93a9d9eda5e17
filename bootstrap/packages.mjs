import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { BootstrapError } from './bootstrap-error.mjs';
import { withCheckoutLock } from './checkout-lock.mjs';
import { CONTROL_PLANE, DOCUMENTS, INSTALL_WORDS, setToInstall } from './package-sets.mjs';
import { capture, reasonOf, root, say } from './processes.mjs';

const LOCK = 'package-lock.json';
/** npm records what it installed, and takes the whole folder away before it installs anew. */
const RECORD = 'node_modules/.package-lock.json';
const STAMP = 'node_modules/.sandgate-set.json';
/** What `npm run`, `npm test -w documents` too, says of itself in the environment. */
const OF_THE_CALLER = ['prefix', 'local_prefix', 'workspace', 'workspaces', 'include_workspace_root'];

/** Installs the locked packages of the control plane when they are missing or are not those of the lock file. */
export async function ensurePackages() {
  await ensureSet(CONTROL_PLANE);
}

/** The same for those of the documents service, which are these and more. */
export async function ensureDocumentsPackages() {
  await ensureSet(DOCUMENTS);
}

async function ensureSet(wanted) {
  if (setToInstall(wanted, stateOfPackages()) !== null) await withCheckoutLock(() => install(wanted));
}

function install(wanted) {
  // Another bootstrap may have done it while this one waited.
  const set = setToInstall(wanted, stateOfPackages());
  if (set === null) return;
  const words = ['ci', ...INSTALL_WORDS[set]];
  say(`Installing packages (npm ${words.join(' ')}) …`);
  const env = { ...process.env, PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH || ''}` };
  // A folder of the caller and its settings would be taken for this project's.
  for (const name of OF_THE_CALLER) delete env[`npm_config_${name}`];
  const result = capture('npm', [...words, '--no-audit', '--no-fund', '--loglevel=error'], { env });
  if (result.ok) writeStamp(set);
  if (setToInstall(wanted, stateOfPackages()) === null) return;
  throw new BootstrapError(
    result.ok
      ? `npm left out a native library: \`@llamaindex/liteparse\` or \`sharp\` has none for ${process.platform} on ${process.arch}; documents need Linux, macOS or Windows on x64 or arm64`
      : `the packages could not be installed (${reasonOf(result)}); connect this machine to an npm registry, or bring node_modules from a machine where \`npm ci\` works`,
  );
}

function stateOfPackages() {
  const lock = readFile(LOCK);
  const record = readFile(RECORD);
  const installed = packagesOf(record);
  return {
    locked: packagesOf(lock),
    installed,
    lockDigest: digest(lock),
    recordDigest: digest(record),
    stamp: parse(readFile(STAMP)),
    machine: { os: process.platform, cpu: process.arch, libc: isGlibc() ? 'glibc' : 'musl' },
    exists: (place) => fs.existsSync(path.join(root, place)),
  };
}

function writeStamp(set) {
  const stamp = { set, lock: digest(readFile(LOCK)), record: digest(readFile(RECORD)) };
  fs.writeFileSync(path.join(root, STAMP), `${JSON.stringify(stamp)}\n`);
}

function readFile(name) {
  try {
    return fs.readFileSync(path.join(root, name), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function packagesOf(text) {
  return parse(text)?.packages ?? null;
}

/** A file that was cut short says nothing. */
function parse(text) {
  try {
    return text === null ? null : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function digest(text) {
  return createHash('sha256')
    .update(text ?? '')
    .digest('hex');
}

function isGlibc() {
  // Looking up the names of open connections takes seconds where a name server does not answer.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime !== undefined;
}
