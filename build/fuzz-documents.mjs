/**
 * Asks the API of the documents service everything that its own description allows and much that it does not, on a database and a
 * Temporal server of its own: half of the time about a project, a document, an upload, a schema and a run that are there, half
 * about ids that are made up.
 * Fails on a 5xx, but for 501 where the description has it, and on an answer that the description does not name.
 * Usage: node build/fuzz-documents.mjs [seconds] (default 120; 40 in .ci/run, 1800 in the nightly campaign)
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { makeOrganization } from '../dist/documents/src/core/access/make-organization.js';
import { Record } from '../dist/documents/src/core/record/record.js';
import { migrateDocsvc } from '../dist/documents/src/platform/postgres/migrate-docsvc.js';
import { findFreePort } from '../dist/src/embedded/ports.js';
import startServices from '../test/support/database/start-services.ts';
import stopServices from '../test/support/database/stop-services.ts';
import { campaign, provideSchemathesis, schemathesis, secondsOf } from './schemathesis.mjs';

const START_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 15_000;
/** What a later release brings says so. */
const LATER = '501';
/** What takes away what is asked about, the client that asks among it: asked last. */
const ENDING = 'DELETE';

const seconds = secondsOf(process.argv[2], 120);
const program = await provideSchemathesis();
const folder = mkdtempSync(join(tmpdir(), 'sg-fuzz-'));
let api;
await startServices();
try {
  api = await startApi(await makeDatabase());
  await expectRecorder();
  const half = [api.description, ...campaign(Math.ceil(seconds / 2)), '--exclude-method', ENDING];
  process.exitCode = await ask(half, 'inherit', api.known);
  if (process.exitCode === 0) process.exitCode = await ask(half, 'inherit', []);
  await expectToken();
  const end = [api.description, '--include-method', ENDING, '--phases', 'coverage'];
  if (process.exitCode === 0) process.exitCode = await ask(end, 'inherit', api.known);
  if (process.exitCode !== 0) process.stderr.write(`--- the end of the API's log\n${api.log.slice(-4000)}\n`);
} finally {
  await api?.stop();
  await stopServices();
  rmSync(folder, { recursive: true, force: true });
}

async function makeDatabase() {
  const server = process.env.TEST_DATABASE_URL;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query('create database docsvc');
  await client.end();
  const url = server.replace('/postgres?', '/docsvc?');
  await migrateDocsvc(url);
  return url;
}

/** The API as it is deployed, an organization in it, and a token of its administrator. */
async function startApi(url) {
  const port = await findFreePort(new Set());
  const record = await Record.connect({ url, poolSize: 1, applicationName: 'fuzz' }, (error) => {
    throw error;
  });
  const { clientId, clientSecret } = await makeOrganization(record, 'Fuzzed');
  await record.close();
  const child = spawn(process.execPath, ['--enable-source-maps', 'dist/documents/api/main.js'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DOCSVC_BIND: `127.0.0.1:${port}`,
      DOCSVC_DATABASE_URL: url,
      DOCSVC_TEMPORAL_ADDRESS: process.env.TEST_TEMPORAL_ADDRESS,
      DOCSVC_TEMPORAL_NAMESPACE: 'default',
      DOCSVC_DATA_DIR: folder,
      DOCSVC_SEAL_KEY: randomBytes(32).toString('base64'),
      DOCSVC_LOG_LEVEL: 'warn',
      DOCSVC_RATE_REQUESTS_PER_MIN: '100000',
      DOCSVC_RATE_SEARCHES_PER_MIN: '100000',
      DOCSVC_RATE_EXTRACTIONS_PER_MIN: '100000',
      DOCSVC_QUOTA_RUNNING_EXTRACTIONS: '100000',
    },
  });
  const started = { log: '', description: `http://127.0.0.1:${port}/api/openapi.json` };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (started.log += chunk));
  started.stop = () => stop(child);
  try {
    await untilReady(`http://127.0.0.1:${port}/api/health`, child);
    started.token = await tokenOf(port, { clientId, clientSecret });
    started.known = await plant(port, started.token);
  } catch (error) {
    await stop(child);
    throw new Error(`the API could not be prepared; its log ends with:\n${started.log.slice(-4000)}`, { cause: error });
  }
  return started;
}

async function untilReady(address, child) {
  const deadline = Date.now() + START_WITHIN_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const answer = await fetch(address).catch(() => null);
    if (answer?.ok) return;
    await wait(100);
  }
  throw new Error(`${address} did not answer within ${START_WITHIN_MS / 1000} s`);
}

async function tokenOf(port, { clientId, clientSecret }) {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const { access_token: token } = await post(port, '/oauth/token', new URLSearchParams(form), {});
  return token;
}

/** A project, a document, an upload, a schema and a run to ask about. @returns their ids by the addresses that take them */
async function plant(port, token) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const make = (path, body) => post(port, path, JSON.stringify(body), headers);
  const workspace = await make('/api/workspaces', { name: 'Fuzzed' });
  const project = await make('/api/projects', { name: 'Fuzzed', workspaceId: workspace.id });
  const contentBase64 = Buffer.from('one line\n').toString('base64');
  const added = await make(`/api/projects/${project.id}/documents`, { name: 'fuzzed.txt', contentBase64 });
  const jsonSchema = { type: 'object', properties: { a: { type: 'string', description: 'The first letter.' } } };
  const schema = await make(`/api/projects/${project.id}/schemas`, { name: 'Fuzzed', jsonSchema });
  const asked = { schemaVersionId: schema.latestVersionId, externalId: 'fuzzed' };
  const run = await make(`/api/v2/projects/${project.id}/extractions`, asked);
  const upload = await make(`/api/projects/${project.id}/uploads`, { name: 'sent.txt', sizeBytes: 20_000_000 });
  const at = (path, id) => ({ path, parameters: { 'path.id': id } });
  return [
    at('^/api/projects/', project.id),
    at('^/api/documents/', added.document.id),
    at('^/api/uploads/', upload.id),
    at('^/api/schemas/', schema.id),
    at('^/api/schema-versions/', schema.latestVersionId),
    at('^/api/(v2/)?extractions/', run.id),
    at('^/api/v2/projects/', project.id),
    at('^/api/workspaces/', workspace.id),
  ];
}

async function post(port, path, body, headers) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, headers });
  if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** The control: against a description that names one answer too few, the same checks must fail. */
async function expectRecorder() {
  const description = await (await fetch(api.description)).json();
  const { get } = description.paths['/api/projects/{id}'];
  delete get.responses[404];
  const path = join(folder, 'one-answer-less.json');
  writeFileSync(path, JSON.stringify(description));
  const url = new URL(api.description).origin;
  const argv = [path, '--url', url, '--include-operation-id', get.operationId, '--phases', 'coverage'];
  if ((await ask(argv, 'ignore', [])) === 0) throw new Error('an answer that is not described went unnoticed');
}

/** The other control: what was asked was asked by somebody who may. */
async function expectToken() {
  const me = new URL('/api/me', api.description);
  const { status } = await fetch(me, { headers: { authorization: `Bearer ${api.token}` } });
  if (status !== 200) throw new Error(`the token was lost on the way: ${me.pathname} answers ${status}`);
}

function ask(argv, stdio, known) {
  return schemathesis({ program, folder, token: api.token, argv, stdio, seconds, known, allowed: [LATER] });
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const overtime = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(overtime);
}
