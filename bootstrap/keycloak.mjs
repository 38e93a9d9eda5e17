import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { BootstrapError } from './bootstrap-error.mjs';
import { cacheDir, capture, reasonOf, say } from './processes.mjs';
import { ensureJava } from './system-tools.mjs';

const VERSION = '26.4.5';
const ARTIFACT = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
const SHA256 = '72f73642a2c36de797d51b4b2b342d4a49f6e5832af10aa470cd123627bd80b3';
const FETCH_TIMEOUT_MS = 20 * 60_000;
const BUILD_TIMEOUT_MS = 10 * 60_000;

/** The folder of the prepared program; `bin/kc.sh start --optimized` serves from it with its state in memory. */
export function keycloakHome() {
  return path.join(cacheDir(), `keycloak-${VERSION}`);
}

/** How it is started: on loopback, its state in memory. Who may administer it comes with the environment. */
export function keycloakServer(port) {
  const url = `http://127.0.0.1:${port}`;
  const place = ['--http-enabled=true', '--http-host=127.0.0.1', `--http-port=${port}`, `--hostname=${url}`];
  return {
    url,
    program: path.join(keycloakHome(), 'bin', 'kc.sh'),
    argv: ['start', '--optimized', '--cache=local', ...place],
  };
}

/** Brings Keycloak, the identity provider of others against which people sign in, where the cache has none. */
export function ensureKeycloak() {
  const home = keycloakHome();
  if (fs.existsSync(path.join(home, 'bin', 'kc.sh'))) return;
  ensureJava();
  say(`Fetching Keycloak ${VERSION} with Maven: 160 MB, once …`);
  fs.mkdirSync(cacheDir(), { recursive: true });
  const draft = fs.mkdtempSync(`${home}.`);
  try {
    const program = path.join(unpack(fetchArchive(draft), draft), 'bin', 'kc.sh');
    const built = capture(program, ['build', '--db=dev-mem'], { timeout: BUILD_TIMEOUT_MS });
    if (!built.ok) throw unavailable(`it could not be prepared: ${reasonOf(built)}`);
    keep(path.join(draft, `keycloak-${VERSION}`), home);
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/** @returns the path of the archive */
function fetchArchive(folder) {
  const argv = ['-q', '-B', 'dependency:copy', `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${folder}`];
  const got = capture('mvn', argv, { cwd: folder, timeout: FETCH_TIMEOUT_MS });
  if (!got.ok) throw unavailable(`it could not be had: ${reasonOf(got)}`);
  const archive = path.join(folder, `keycloak-quarkus-dist-${VERSION}.zip`);
  const sum = createHash('sha256').update(fs.readFileSync(archive)).digest('hex');
  if (sum !== SHA256) throw unavailable(`what came is not what it was (${sum} instead of ${SHA256})`);
  return archive;
}

function unpack(archive, folder) {
  const unpacked = capture('unzip', ['-q', archive, '-d', folder]);
  if (!unpacked.ok) throw unavailable(`it could not be unpacked: ${reasonOf(unpacked)}`);
  fs.rmSync(archive);
  return path.join(folder, `keycloak-${VERSION}`);
}

/** Two bootstraps may do this at once: whoever comes second uses what the first one put there. */
function keep(prepared, home) {
  if (fs.existsSync(home)) return;
  fs.renameSync(prepared, home);
}

function unavailable(reason) {
  return new BootstrapError(`some tests need Keycloak ${VERSION}, and ${reason}; \`npm test\` does without`);
}
