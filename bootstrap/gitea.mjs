import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { BootstrapError } from './bootstrap-error.mjs';
import { cacheDir, capture, reasonOf, say } from './processes.mjs';
import { ensureGo } from './system-tools.mjs';

const VERSION = '1.25.4';
const MODULE = `code.gitea.io/gitea@v${VERSION}`;
/** What the module of that version is, whoever serves it. */
const MODULE_SUM = 'h1:NVY3EtttCCEST5pwmxqHknJ9WFRWHobxIjNzxhYqZWw=';
const BUILD_TIMEOUT_MS = 40 * 60_000;
/** What the program reads beside itself, because this build does not contain it. */
const STATIC_FOLDERS = ['options', 'public', 'templates'];
/** Where Go's own installer puts it, which login shells alone know. */
const GO_PLACES = ['/usr/local/go/bin', '/usr/bin'];

/** The folder that holds the program `gitea` and its static files. */
export function giteaHome() {
  return path.join(cacheDir(), `gitea-${VERSION}`);
}

/** Builds Gitea, the code host of others against which tests publish and receive events, where the cache has none. */
export function ensureGitea() {
  const home = giteaHome();
  if (works(home)) return;
  ensureGo();
  const env = { ...process.env, PATH: [process.env.PATH, ...GO_PLACES].join(path.delimiter) };
  const source = downloadModule(env);
  say(`Building Gitea ${VERSION} with Go, for tests: about four minutes on two cores, once …`);
  fs.mkdirSync(cacheDir(), { recursive: true });
  const draft = fs.mkdtempSync(`${home}.`);
  try {
    const argv = ['build', '-buildvcs=false', '-mod=readonly', '-trimpath', '-tags', 'sqlite sqlite_unlock_notify'];
    const flags = ['-ldflags', `-s -w -X main.Version=${VERSION}`, '-o', path.join(draft, 'gitea'), '.'];
    const built = capture('go', [...argv, ...flags], { cwd: source, env, timeout: BUILD_TIMEOUT_MS });
    if (!built.ok) throw unavailable(`it could not be built: ${reasonOf(built)}`);
    for (const name of STATIC_FOLDERS) copyWritable(path.join(source, name), path.join(draft, name));
    if (!works(draft)) throw unavailable('what was built does not run');
    keep(draft, home);
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/** The module is built where Go keeps it: as the main module, so that what its go.mod replaces is replaced. */
function downloadModule(env) {
  const got = capture('go', ['mod', 'download', '-json', MODULE], { cwd: cacheParent(), env });
  if (!got.ok) throw unavailable(`its source could not be had: ${reasonOf(got)}`);
  const { Dir: dir, Sum: sum } = JSON.parse(got.stdout);
  if (sum !== MODULE_SUM) throw unavailable(`its source is not what it was (${sum} instead of ${MODULE_SUM})`);
  return dir;
}

/** Outside the checkout and any other module. */
function cacheParent() {
  fs.mkdirSync(cacheDir(), { recursive: true });
  return cacheDir();
}

function works(home) {
  const program = path.join(home, 'gitea');
  return (
    STATIC_FOLDERS.every((name) => fs.existsSync(path.join(home, name))) &&
    capture(program, ['--version'], { timeout: 20_000, cwd: home }).stdout.includes(VERSION)
  );
}

/** Go keeps modules without the right to write, and so nobody could delete the copy. */
function copyWritable(from, to) {
  fs.cpSync(from, to, { recursive: true });
  for (const entry of [to, ...fs.readdirSync(to, { recursive: true }).map((name) => path.join(to, name))])
    fs.chmodSync(entry, fs.statSync(entry).isDirectory() ? 0o755 : 0o644);
}

/** Two bootstraps may do this at once: whoever comes second uses what the first one put there. */
function keep(draft, home) {
  fs.chmodSync(draft, 0o755);
  if (works(home)) return;
  fs.rmSync(home, { recursive: true, force: true });
  fs.renameSync(draft, home);
}

function unavailable(reason) {
  return new BootstrapError(`some tests need Gitea ${VERSION}, and ${reason}; \`npm run demo\` does without`);
}
