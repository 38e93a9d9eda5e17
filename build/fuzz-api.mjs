/**
 * Asks the public API everything that its own description allows and much that it does not: schemathesis, pinned and in a virtual
 * environment of its own, against a fresh installation with room for two runs, on the replay harness, without folders to copy.
 * Fails on a 5xx and on an answer that the description does not name.
 * Usage: node build/fuzz-api.mjs [seconds] (default 240; 40 in .ci/run, 1800 in the nightly campaign)
 */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Installation } from '../dist/src/embedded/installation.js';
import { findFreePort } from '../dist/src/embedded/ports.js';
import { removeState } from '../dist/src/embedded/remove-state.js';
import { campaign, provideSchemathesis, schemathesis, secondsOf } from './schemathesis.mjs';

const STOP_RUNS_WITHIN_MS = 20_000;

/** A stream never ends by itself, which a caller of single requests cannot wait for; test/e2e/streams asks it. */
const ENDLESS = '/events/stream$';

const seconds = secondsOf(process.argv[2], 240);
const program = await provideSchemathesis();
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
  const whole = [`${installation.url}/v1/openapi.json`, ...campaign(seconds), '--exclude-path-regex', ENDLESS];
  process.exitCode = await ask(installation, whole, 'inherit');
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

/** Ports at random: those that an installation tries first are for whoever works on this machine. */
async function takeOwnPorts(folder) {
  const ports = {};
  for (const name of ['api', 'temporal', 'temporalWeb'])
    ports[name] = await findFreePort(new Set(Object.values(ports)));
  writeFileSync(join(folder, 'ports.json'), JSON.stringify(ports));
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

/** The control: against a description that names one answer too few, the same checks must fail. */
async function expectRecorder(installation) {
  const description = await (await fetch(`${installation.url}/v1/openapi.json`)).json();
  delete description.paths['/v1/sessions/{id}'].get.responses[404];
  const path = join(dataDir, 'one-answer-less.json');
  writeFileSync(path, JSON.stringify(description));
  const argv = [path, '--url', installation.url, '--include-operation-id', 'readSession', '--phases', 'coverage'];
  if ((await ask(installation, argv, 'ignore')) === 0)
    throw new Error('an answer that is not described went unnoticed');
}

function ask({ adminToken: token }, argv, stdio) {
  // A long poll may last a minute, which is longer than a request may take here.
  const known = [{ path: '^/', parameters: { 'query.wait': 1 } }];
  return schemathesis({ program, folder: dataDir, token, argv, stdio, seconds, known });
}

function showLogs() {
  for (const line of notices) process.stderr.write(`${line}\n`);
  const log = join(dataDir, 'logs', 'api.log');
  if (existsSync(log))
    process.stderr.write(`--- the end of the API's log\n${readFileSync(log, 'utf8').slice(-4000)}\n`);
}
