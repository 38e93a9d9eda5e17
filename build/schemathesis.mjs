import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { withCheckoutLock } from '../bootstrap/checkout-lock.mjs';
import { cacheDir } from '../bootstrap/processes.mjs';

const PINS = fileURLToPath(new URL('./fuzz-api.requirements.txt', import.meta.url));
const PYTHON = process.env.PYTHON || 'python3';
const HOOKS = fileURLToPath(new URL('./fuzz-hooks.py', import.meta.url));
const INSTALL_TIMEOUT_MS = 300_000;
/** Beyond the budget of the tool itself: what it was doing when its time ran out. */
const OVERTIME_MS = 45_000;

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];
/** The seconds that the command line names. */
export function secondsOf(word, otherwise) {
  const seconds = Number(word ?? otherwise);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 3600)
    fail('the seconds must be a whole number from 1 to 3600');
  return seconds;
}

/** The words of a whole campaign. */
export function campaign(seconds) {
  // One worker: before Python 3.11.8 two threads that parse at once fail inside the interpreter (python/cpython#106905).
  return ['--max-time', String(seconds), '--workers', '1', '--continue-on-failure'];
}

/**
 * Runs the tool with our checks.
 *
 * @param allowed statuses that are no failure of the server; a 5xx among them must still be described
 * @param known values of parameters that are not made up: `parameters` by place and name, of the operations at `path`, an expression
 * @returns its exit code, 0 when it found nothing
 */
export async function schemathesis({ program, folder, token, argv, stdio, seconds, known, allowed = [] }) {
  const config = join(folder, 'schemathesis.toml');
  // The token goes by environment: a command line is readable by everyone on the machine.
  const statuses = ['2xx', '3xx', '4xx', ...allowed];
  const lines = [
    'headers = { Authorization = "Bearer ${SANDGATE_TOKEN}" }',
    `checks.not_a_server_error.expected-statuses = ${JSON.stringify(statuses)}`,
  ];
  for (const { path, parameters } of known) {
    const pairs = Object.entries(parameters).map(
      ([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`,
    );
    lines.push('[[operations]]', `include-path-regex = '${path}'`, `parameters = { ${pairs.join(', ')} }`);
  }
  writeFileSync(config, `${lines.join('\n')}\n`);
  const common = [
    '--checks',
    CHECKS.join(','),
    '--request-timeout',
    '15',
    '--generation-database',
    'none',
    // A made-up cookie beside the token is two credentials, which every route refuses before it looks at anything else.
    '--generation-with-security-parameters',
    'false',
    '--no-color',
  ];
  const child = spawn(program, ['--config-file', config, 'run', ...argv, ...common], {
    cwd: folder,
    stdio,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PYTHONUTF8: '1',
      // A folder of byte code beside the sources would look like a change of them.
      PYTHONDONTWRITEBYTECODE: '1',
      SCHEMATHESIS_HOOKS: HOOKS,
      SANDGATE_TOKEN: token,
    },
  });
  const overtime = setTimeout(() => child.kill('SIGKILL'), seconds * 1000 + OVERTIME_MS);
  const [status, signal] = await once(child, 'exit');
  clearTimeout(overtime);
  if (signal !== null) process.stderr.write(`fuzz: schemathesis ended with ${signal}\n`);
  return status ?? 1;
}

/** The program, in the cache beside what else the project fetched; complete when its marker names these pins. */
export async function provideSchemathesis() {
  const pins = readFileSync(PINS, 'utf8');
  const version = /^schemathesis==(\S+)$/m.exec(pins)?.[1];
  const digest = createHash('sha256').update(pins).digest('hex');
  const folder = join(cacheDir(), `schemathesis-${version}`);
  const marker = join(folder, 'pins.sha256');
  const program = join(folder, 'bin', 'schemathesis');
  const isInstalled = () => existsSync(marker) && readFileSync(marker, 'utf8') === digest;
  if (isInstalled()) return program;
  await withCheckoutLock(() => {
    // Another campaign may have done it while this one waited.
    if (isInstalled()) return;
    process.stdout.write(`fuzz: installing schemathesis ${version} into ${folder}\n`);
    install(folder);
    writeFileSync(`${marker}.new`, digest);
    renameSync(`${marker}.new`, marker);
  });
  return program;
}

function install(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run(
    PYTHON,
    ['-m', 'venv', folder],
    'a virtual environment could not be made; install Python 3.10 or newer with venv',
  );
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', PINS];
  run(join(folder, 'bin', 'python'), pip, 'schemathesis could not be installed from the package index');
}

function run(command, argv, otherwise) {
  const { status, error, stderr } = spawnSync(command, argv, { timeout: INSTALL_TIMEOUT_MS, encoding: 'utf8' });
  if (status !== 0) fail(`${otherwise} (${error?.message ?? stderr.trim().split('\n').at(-1)})`);
}

export function fail(reason) {
  process.stderr.write(`fuzz: ${reason}\n`);
  process.exit(1);
}
