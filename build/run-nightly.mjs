/**
 * The campaigns of docs/proofs.md at their full counts: the same tests as `npm test`, many times over. Takes hours.
 * Usage: npm run test:nightly [-- jest arguments]; without arguments the API is asked at random afterwards, for half an hour.
 */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { JEST } from '../bootstrap/commands.mjs';

const COUNTS = {
  TEST_FAULT_ROUNDS: '12',
  TEST_BROKER_FAULT_ROUNDS: '8',
  TEST_QUEUE_RUNS: '100',
  TEST_HOSTILE_REPOSITORIES: 'all',
  TEST_BUDGET_TRIALS: '1000',
  TEST_EGRESS_CALLS: '10000',
  TEST_MCP_CALLS: '10000',
  TEST_MCP_CONFORMANCE: 'all',
  ROUND_TRIPS: '1000',
  TEST_PLANE_REQUESTS: '10000',
  SANDGATE_PROOF_SANDBOXES: '500',
  SANDGATE_FUZZ_CASES: '100000',
  SANDGATE_ORACLE_SCRIPTS: '10000',
  // Shell lines that no earlier night has seen: the slice of this day.
  SANDGATE_SHELL_SLICE: String(Math.floor(Date.now() / 86_400_000)),
  SANDGATE_PROOF_RACES: '10000',
  TEST_SIGNALS: '10000',
  TEST_SOAK_MINUTES: '120',
  TEST_ENDED_RUNS: '500',
  TEST_CANARY_RUNS: '200',
  // Makes all images, and starts them with podman-compose.
  TEST_COMPOSE: '1',
  // Asks the registry for what is known of the packages.
  TEST_PACKAGE_AUDIT: '1',
};

const FUZZED_SECS = '1800';
const only = process.argv.slice(2);

/** @returns the exit code */
function node(...args) {
  return spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...COUNTS, ...process.env } }).status ?? 1;
}

const tested = node(...JEST, '--runInBand', ...only);
const asked = only.length === 0 ? node('build/fuzz-api.mjs', FUZZED_SECS) : 0;
process.exit(tested || asked);
