/**
 * The campaigns of docs/proofs.md at their full counts: the same tests as `npm test`, many times over. Takes hours.
 * Usage: npm run test:nightly [-- jest arguments]; without arguments the API is asked at random afterwards, for half an hour.
 */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { JEST } from '../bootstrap/commands.mjs';

const COUNTS = {
  // All of what `npm test` takes a share of.
  TEST_NIGHTLY: '1',
  TEST_FAULT_ROUNDS: '12',
  TEST_BROKER_FAULT_ROUNDS: '8',
  TEST_WEBHOOK_FAULT_ROUNDS: '8',
  TEST_QUEUE_RUNS: '100',
  TEST_HOSTILE_REPOSITORIES: 'all',
  TEST_DOCUMENT_SAMPLES: 'all',
  TEST_GENERATED_DOCUMENTS: 'all',
  TEST_DOCSVC_KILLS: '200',
  TEST_PRINTED_LISTS: 'all',
  TEST_DOCSVC_EXTRACTION_KILLS: '100',
  TEST_LONG_DOCUMENTS: '1',
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
  TEST_DELIVERIES: '5000',
  TEST_SOAK_MINUTES: '120',
  TEST_SCHEDULE_DAYS: 'full',
  TEST_ENDED_RUNS: '500',
  TEST_DUPLICATE_WEBHOOKS: '10000',
  TEST_CANARY_RUNS: '200',
  TEST_TIMING_PAIRS: '300',
  // Those that need compilers, too.
  TEST_PROJECTS: 'all',
  // Makes all images, and starts them with podman-compose.
  TEST_COMPOSE: '1',
  // A company is set up with Keycloak, too.
  TEST_KEYCLOAK: '1',
  // Asks the registry for what is known of the packages.
  TEST_PACKAGE_AUDIT: '1',
};

/**
 * Suites whose runs have sandboxes: once more with those of a container engine, which only root may have here. A second time would say
 * nothing of sandbox/docker-*, whose sandboxes are containers in any case, nor of setup/layers, which has none.
 */
const CONTAINED = [
  'test/e2e/faults',
  'test/e2e/setup/(prepared-workspaces|tunnel)',
  'test/e2e/secrets',
  'test/e2e/harnesses/demo',
  'test/e2e/projects',
  'test/integration/network',
];

const FUZZED_SECS = '1800';
const only = process.argv.slice(2);

/** @returns the exit code */
function node(args, more = {}) {
  const env = { ...COUNTS, ...more, ...process.env };
  return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1;
}

/** @returns the exit code */
function testContained() {
  if (process.getuid() !== 0) return 0;
  return node([...JEST, '--runInBand', '--testPathPatterns', CONTAINED.join('|')], { TEST_PROVIDER: 'docker' });
}

const tested = node([...JEST, '--runInBand', ...only]);
const others =
  only.length > 0
    ? []
    : [
        testContained(),
        ...['build/fuzz-api.mjs', 'build/fuzz-documents.mjs'].map((script) => node([script, FUZZED_SECS])),
        node(['build/try-package-sets.mjs']),
      ];
process.exit([tested, ...others].find((code) => code !== 0) ?? 0);
