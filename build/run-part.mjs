/**
 * A part of `npm test`, for the minutes between two thoughts.
 * Usage: node build/run-part.mjs quick|changed [jest arguments]
 *   quick    every unit test, and one suite of each kind that needs services: three minutes on two cores
 *   changed  the suites that reach a file changed since the branch left `main`; on `main` itself, since the commit before
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import process from 'node:process';
import { JEST } from '../bootstrap/commands.mjs';

/** Beside the unit tests: a run's record, the gate, a brokered call, a policy, and one whole run in a sandbox. */
const SLICE = [
  'test/integration/api/sessions.spec.ts',
  'test/integration/api/policies.spec.ts',
  'test/integration/broker/upstream-caller.spec.ts',
  'test/integration/db/gate.spec.ts',
  'test/integration/internal/gate.spec.ts',
  'test/e2e/workspace/read-only-checkout.spec.ts',
];

const [part, ...argv] = process.argv.slice(2);
const PARTS = {
  quick: () => [
    '--runTestsByPath',
    ...globSync(['{src,documents/src}/**/*.spec.ts', '{bootstrap,build}/*.spec.mjs']),
    ...SLICE,
  ],
  changed: () => ['--changedSince', base(), '--passWithNoTests'],
};
if (!(part in PARTS)) {
  console.error(`Name a part: ${Object.keys(PARTS).join(' or ')}`);
  process.exit(2);
}
const { status } = spawnSync(process.execPath, [...JEST, ...argv, ...PARTS[part]()], { stdio: 'inherit' });
process.exit(status ?? 1);

function base() {
  const left = git('merge-base', 'main', 'HEAD');
  return left === '' || left === git('rev-parse', 'HEAD') ? 'HEAD~1' : left;
}

/** What git says, empty where it has nothing to say: a clone of one branch has no `main`. */
function git(...words) {
  return spawnSync('git', words, { encoding: 'utf8' }).stdout.trim();
}
