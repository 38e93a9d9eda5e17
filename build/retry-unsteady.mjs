/**
 * After a failed `npm test`: runs at most two failed suites once more, alone, and names those that pass then `unsteady`, to be fixed
 * before anything else. More failed suites than that, or one that fails again, is a failure.
 * Usage: node build/retry-unsteady.mjs <file with the paths of failed suites, as JSON>
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';
import { JEST } from '../bootstrap/commands.mjs';

const MOST = 2;

const suites = JSON.parse(readFileSync(process.argv[2], 'utf8'));
if (suites.length === 0 || suites.length > MOST) {
  console.error(`${suites.length} suites failed; only one or ${MOST} are run once more.`);
  process.exit(1);
}
// The seconds of one suite alone would take the place of those of the whole run.
const env = { ...process.env, TEST_RECORD_SECONDS: '' };
let failed = 0;
for (const suite of suites) {
  const { status } = spawnSync(process.execPath, [...JEST, '--runTestsByPath', suite], { stdio: 'inherit', env });
  if (status !== 0) failed++;
  else console.log(`unsteady: ${relative(process.cwd(), suite)}`);
}
process.exit(failed === 0 ? 0 : 1);
