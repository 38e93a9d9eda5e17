import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { BootstrapError } from './bootstrap-error.mjs';
import { withCheckoutLock } from './checkout-lock.mjs';
import { ensureGitea } from './gitea.mjs';
import { ensureKeycloak } from './keycloak.mjs';
import { ensureDocumentsPackages, ensurePackages } from './packages.mjs';
import { capture, reasonOf, root, say } from './processes.mjs';
import { documentsDigest, sourceDigest } from './source-digest.mjs';
import {
  ensureCompose,
  ensureDocumentsTools,
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
  'documents-packages': ensureDocumentsPackages,
  'documents-build': ensureDocumentsBuild,
  'documents-tools': ensureDocumentsTools,
};

/** Brings every need, in order; a need that is there costs milliseconds. */
export async function prepare(needs) {
  for (const need of needs) await STEPS[need]();
}

const BUILD = { script: 'build/build.mjs', stamp: 'dist/.stamp', digest: sourceDigest };
const DOCUMENTS_BUILD = {
  script: 'build/build-documents.mjs',
  stamp: 'dist/documents/.stamp',
  digest: documentsDigest,
};

/** Builds dist/ when the sources are not those that it was built from. */
async function ensureBuild() {
  await ensureBuilt(BUILD);
}

/** The same for dist/documents, which imports from dist/src. */
async function ensureDocumentsBuild() {
  await ensureBuilt(BUILD);
  await ensureBuilt(DOCUMENTS_BUILD);
}

async function ensureBuilt(one) {
  if (!isBuilt(one)) await withCheckoutLock(() => build(one));
}

function build(one) {
  // Another bootstrap may have done it while this one waited.
  if (isBuilt(one)) return;
  say(one === BUILD ? 'Building …' : 'Building documents …');
  const result = capture(process.execPath, [one.script]);
  if (!result.ok) throw new BootstrapError(`the build failed: ${reasonOf(result)}\n${result.stdout}${result.stderr}`);
}

function isBuilt({ stamp, digest }) {
  const file = path.join(root, stamp);
  return fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim() === digest(root);
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
