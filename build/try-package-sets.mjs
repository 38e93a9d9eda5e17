/**
 * Tries in a fresh clone of this commit what the bootstrap installs: `demo`, `test`, `demo` in a row install twice, first no package of
 * the documents service and then all, and nothing afterwards. Needs a registry or npm's cache; part of the nightly campaign.
 * Usage: node build/try-package-sets.mjs
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { needsOf } from '../bootstrap/commands.mjs';

const WITHIN_MS = 600_000;
const SETS = ['packages', 'documents-packages'];

const clone = mkdtempSync(join(tmpdir(), 'sg-sets-'));
try {
  run('git', ['clone', '--quiet', '--depth', '1', `file://${process.cwd()}`, clone]);
  const own = documentsOnly();
  const steps = ['demo', 'test', 'demo', 'documents:test', 'start'].map((name) => ({ name, ...bring(name) }));
  const [first, second, ...later] = steps;
  const wrong = [
    ...first.there.filter((place) => own.includes(place)).map((place) => `demo brought ${place}`),
    ...own.filter((place) => !second.there.includes(place)).map((place) => `test did not bring ${place}`),
    ...steps
      .slice(0, 2)
      .filter(({ installed }) => installed !== 1)
      .map(({ name }) => `${name} did not install once`),
    ...later.filter(({ installed }) => installed !== 0).map(({ name }) => `${name} installed again`),
  ];
  for (const sentence of wrong) console.error(sentence);
  console.log(
    steps.map(({ name, there, installed }) => `${name}: ${installed} installs, ${there.length} packages`).join('\n'),
  );
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  rmSync(clone, { recursive: true, force: true });
}

/** Places of the packages that documents declares and the control plane does not. */
function documentsOnly() {
  const read = (file) => JSON.parse(readFileSync(join(clone, file), 'utf8'));
  const root = read('package.json');
  const shared = { ...root.dependencies, ...root.devDependencies };
  const { dependencies, devDependencies } = read('documents/package.json');
  const names = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !(name in shared));
  // Packages that others of the control plane bring anyway.
  const lock = read('package-lock.json').packages;
  return names.map((name) => `node_modules/${name}`).filter((place) => !isShared(lock, place));
}

/** Whether a package that is not of documents asks for it. */
function isShared(lock, place) {
  const name = place.slice('node_modules/'.length);
  return Object.entries(lock).some(([other, entry]) => other !== 'documents' && name in (entry.dependencies ?? {}));
}

/** Brings what the command needs of packages, as the bootstrap does. */
function bring(name) {
  const needs = needsOf(name, []).filter((need) => SETS.includes(need));
  const script = `import { prepare } from './bootstrap/prepare.mjs'; await prepare(${JSON.stringify(needs)});`;
  const said = run(process.execPath, ['--input-type=module', '--eval', script]);
  const record = JSON.parse(readFileSync(join(clone, 'node_modules/.package-lock.json'), 'utf8')).packages;
  return { installed: said.split('Installing packages').length - 1, there: Object.keys(record) };
}

function run(program, argv) {
  const { status, stdout, stderr } = spawnSync(program, argv, { cwd: clone, encoding: 'utf8', timeout: WITHIN_MS });
  if (status !== 0) throw new Error(`${program} ${argv[0]} failed: ${stdout}${stderr}`);
  return stderr;
}
