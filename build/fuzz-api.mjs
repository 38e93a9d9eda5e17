/**
 * Asks the public API everything that its own description allows and much that it does not: schemathesis, pinned and in a virtual
 * environment of its own, against a fresh installation with room for two runs, on the replay harness, without folders to copy.
 * Fails on a 5xx and on an answer that the description does not name.
 * Usage: node build/fuzz-api.mjs [seconds] (default 240; 100 in .ci/run, 1800 in the nightly campaign)
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { cacheDir } from '../bootstrap/processes.mjs';
import { Installation } from '../dist/src/embedded/installation.js';
import { removeState } from '../dist/src/embedded/remove-state.js';

const PINS = fileURLToPath(new URL('./fuzz-api.requirements.txt', import.meta.url));
const PYTHON = process.env.PYTHON || 'python3';
const HOOKS = fileURLToPath(new URL('./fuzz-hooks.py', import.meta.url));
const INSTALL_TIMEOUT_MS = 300_000;
/** Beyond the budget of the tool itself: what it was doing when its time ran out. */
const OVERTIME_MS = 45_000;
const STOP_RUNS_WITHIN_MS = 20_000;

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];
/** A stream never ends by itself, which a caller of single requests cannot wait for; test/e2e/streams asks it. */
const ENDLESS = '/events/stream$';

const seconds = Number(process.argv[2] ?? 240);
if (!Number.isInteger(seconds) || seconds < 1 || seconds > 3600)
  fail('the seconds must be a whole number from 1 to 3600');
const program = provideSchemathesis();
const dataDir = mkdtempSync(join(tmpdir(), 'sg-fuzz-'));
const notices = [];
let installation;
const codehost = await startCodehost();
try {
  await takeOwnPorts(dataDir);
  installation = await Installation.start({
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      SERVICE_DATA_DIR: dataDir,
      SERVICE_CAPACITY_TENANT_MAX_ACTIVE: '2',
      SERVICE_CAPACITY_TENANT_QUEUE_DEPTH: '50',
      SERVICE_LOCAL_COPY_ROOTS: 'none',
      SERVICE_DEFAULT_HARNESS: 'replay',
      SERVICE_CODEHOST_API_URL: `http://127.0.0.1:${codehost.address().port}`,
      SERVICE_LOG_LEVEL: 'warn',
    },
    notify: (line) => notices.push(line),
  });
  await plantRuns(installation);
  await expectRecorder(installation);
  process.exitCode = await schemathesis(
    installation,
    [`${installation.url}/v1/openapi.json`, ...campaign()],
    'inherit',
  );
  if (process.exitCode !== 0) showLogs();
} finally {
  await installation?.stop('kill', AbortSignal.timeout(STOP_RUNS_WITHIN_MS));
  codehost.close();
  await removeState(dataDir);
}

/** A code host that knows nobody: asking the real one would send it generated tokens, and fail without a network. */
async function startCodehost() {
  const server = createHttpServer((request, response) => {
    request.resume();
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"Bad credentials"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Ports that no other installation on this machine would choose too. */
async function takeOwnPorts(folder) {
  const servers = await Promise.all(
    ['api', 'temporal', 'temporalWeb'].map(async (name) => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return [name, server];
    }),
  );
  const ports = servers.map(([name, server]) => [name, server.address().port]);
  writeFileSync(join(folder, 'ports.json'), JSON.stringify(Object.fromEntries(ports)));
  await Promise.all(servers.map(([, server]) => once(server.close(), 'close')));
}

/** Runs to read: one that ended and one that waits for a human. The agent and the policies are those of every new installation. */
async function plantRuns({ url, adminToken }) {
  const call = async (path, body) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
  };
  await call('/v1/agents', { name: 'fuzzed', harness: 'replay', policy: 'standard' });
  await call('/v1/sessions', { agent: 'fuzzed', task: JSON.stringify([{ say: 'here' }]) });
  const asks = [{ tool: 'Bash', input: { command: 'sh deploy.sh' } }];
  await call('/v1/sessions', { agent: 'fuzzed', task: JSON.stringify(asks) });
}

function campaign() {
  // One worker: before Python 3.11.8 two threads that parse at once fail inside the interpreter (python/cpython#106905).
  return ['--max-time', String(seconds), '--workers', '1', '--exclude-path-regex', ENDLESS, '--continue-on-failure'];
}

/** The control: against a description that names one answer too few, the same checks must fail. */
async function expectRecorder(installation) {
  const description = await (await fetch(`${installation.url}/v1/openapi.json`)).json();
  delete description.paths['/v1/sessions/{id}'].get.responses[404];
  const path = join(dataDir, 'one-answer-less.json');
  writeFileSync(path, JSON.stringify(description));
  const argv = [path, '--url', installation.url, '--include-operation-id', 'readSession', '--phases', 'coverage'];
  if ((await schemathesis(installation, argv, 'ignore')) === 0)
    throw new Error('an answer that is not described went unnoticed');
}

/** Runs the tool with our checks. @returns its exit code, 0 when it found nothing */
async function schemathesis({ adminToken }, argv, stdio) {
  const config = join(dataDir, 'schemathesis.toml');
  // The token goes by environment: a command line is readable by everyone on the machine.
  // A long poll may last a minute, which is longer than a request may take here.
  const lines = ['headers = { Authorization = "Bearer ${SANDGATE_TOKEN}" }', 'parameters = { "query.wait" = 1 }'];
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
    cwd: dataDir,
    stdio,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PYTHONUTF8: '1',
      // A folder of byte code beside the sources would look like a change of them.
      PYTHONDONTWRITEBYTECODE: '1',
      SCHEMATHESIS_HOOKS: HOOKS,
      SANDGATE_TOKEN: adminToken,
    },
  });
  const overtime = setTimeout(() => child.kill('SIGKILL'), seconds * 1000 + OVERTIME_MS);
  const [status, signal] = await once(child, 'exit');
  clearTimeout(overtime);
  if (signal !== null) process.stderr.write(`fuzz: schemathesis ended with ${signal}\n`);
  return status ?? 1;
}

/** The program, in the cache beside what else the project fetched; complete when its marker names these pins. */
function provideSchemathesis() {
  const pins = readFileSync(PINS, 'utf8');
  const version = /^schemathesis==(\S+)$/m.exec(pins)?.[1];
  const digest = createHash('sha256').update(pins).digest('hex');
  const folder = join(cacheDir(), `schemathesis-${version}`);
  const marker = join(folder, 'pins.sha256');
  const installed = join(folder, 'bin', 'schemathesis');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === digest) return installed;
  process.stdout.write(`fuzz: installing schemathesis ${version} into ${folder}\n`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run(
    PYTHON,
    ['-m', 'venv', folder],
    'a virtual environment could not be made; install Python 3.10 or newer with venv',
  );
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', PINS];
  run(join(folder, 'bin', 'python'), pip, 'schemathesis could not be installed from the package index');
  writeFileSync(`${marker}.new`, digest);
  renameSync(`${marker}.new`, marker);
  return installed;
}

function run(command, argv, otherwise) {
  const { status, error, stderr } = spawnSync(command, argv, { timeout: INSTALL_TIMEOUT_MS, encoding: 'utf8' });
  if (status !== 0) fail(`${otherwise} (${error?.message ?? stderr.trim().split('\n').at(-1)})`);
}

function showLogs() {
  for (const line of notices) process.stderr.write(`${line}\n`);
  const log = join(dataDir, 'logs', 'api.log');
  if (existsSync(log))
    process.stderr.write(`--- the end of the API's log\n${readFileSync(log, 'utf8').slice(-4000)}\n`);
}

function fail(reason) {
  process.stderr.write(`fuzz: ${reason}\n`);
  process.exit(1);
}
