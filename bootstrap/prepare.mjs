import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { BootstrapError } from './bootstrap-error.mjs';
import { withCheckoutLock } from './checkout-lock.mjs';
import { ensureGitea } from './gitea.mjs';
import { ensureKeycloak } from './keycloak.mjs';
import { ensurePackages } from './packages.mjs';
import { capture, reasonOf, root, say } from './processes.mjs';
import { sourceDigest } from './source-digest.mjs';
import {
  ensureCompose,
  ensureEngine,
  ensureImageTools,
  ensureOracles,
  ensureToolchains,
  ensureTools,
} from './system-tools.mjs';

const STEPS = {
  packages: ensurePackages,
  build: ensureBuild,
  tools: ensureTools,
  oracles: ensureOracles,
  engine: ensureEngine,
  compose: ensureCompose,
  images: ensureImageTools,
  toolchains: ensureToolchains,
  temporal: ensureTemporal,
  gitea: ensureGitea,
  keycloak: ensureKeycloak,
};

/** Brings every need, in order; a need that is there costs milliseconds. */
export async function prepare(needs) {
  for (const need of needs) await STEPS[need]();
}

/** Builds dist/ when the sources are not those that it was built from. */
async function ensureBuild() {
  if (!isBuilt()) await withCheckoutLock(build);
}

function build() {
  if (isBuilt()) return;
  say('Building …');
  const result = capture(process.execPath, ['build/build.mjs']);
  if (!result.ok) throw new BootstrapError(`the build failed: ${reasonOf(result)}\n${result.stdout}${result.stderr}`);
}

function isBuilt() {
  const stamp = path.join(root, 'dist', '.stamp');
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8').trim() === sourceDigest(root);
}

/** Asks the built project itself, which has the whole search order. */
async function ensureTemporal() {
  if (process.env.TEMPORAL_ADDRESS) return;
  const module = pathToFileURL(path.join(root, 'dist', 'src', 'embedded', 'temporal-binary.js')).href;
  const { provideTemporalBinary } = await import(module);
  try {
    await provideTemporalBinary(process.env.SERVICE_TEMPORAL_BIN || null, say);
  } catch (error) {
    throw new BootstrapError(error.message);
  }
}
