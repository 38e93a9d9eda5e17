import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'undici';
import { RouteTable } from '../../../src/api/http/route-table.js';
import { InternalModule } from '../../../src/api/internal/internal.module.js';
import type { Audience } from '../../../src/core/runs/tokens.js';
import { startApi, type TestApi } from '../../support/api/api.js';
import { createGatedRun, readLedger, type LedgerLine } from '../../support/gate/gated-run.js';
import { hostileRequests, MARK, MARK_DIGITS, type HostileRequest } from '../../support/plane/hostile-requests.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';
import { startWireProvider, type WireProvider } from '../../support/models/wire-provider.js';

/** Requests in all; the nightly campaign makes 10,000. */
const REQUESTS = Number(process.env['TEST_PLANE_REQUESTS'] ?? 2400);
const SEED = 20_260_117;
/** Requests of one run: below its bursts, and few enough to be looked at when they fail. */
const OF_ONE_RUN = 40;
const AT_ONCE = 8;
/** Only what hangs takes this long. */
const ANSWERED_WITHIN_MS = 60_000;

/** A call that asks a person is approved at once. */
const POLICY = {
  approvals: { default_ttl_secs: 0 },
  tools: [
    { match: ['Edit'], action: 'approve' },
    { match: ['Bash'], action: 'allow', shell: { allow_prefixes: ['ls', 'git status'], deny_patterns: ['rm -rf'], on_no_match: 'deny' } },
    { match: ['Read', 'Grep'], action: 'allow', paths: { allow: ['/workspace/**'], deny: ['**/.env'] } },
    { match: ['mcp__kb__*', 'Write'], action: 'allow' },
    { match: ['*'], action: 'deny', risk: 'nothing else' },
  ],
}; // prettier-ignore
const KB = {
  find: {
    type: 'object',
    properties: { q: { type: 'string', maxLength: 20 }, limit: { type: 'integer', maximum: 9 } },
  },
};
const AUDIENCES: readonly [RegExp, Audience][] = [
  [/\/(permission|tools\/call)$/, 'tool'],
  [/\/workspace$/, 'workspace'],
  [/\/llm(\/\*)?$/, 'llm'],
  [/./, 'control'],
];
const REPLY = {
  id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5', stop_reason: 'end_turn',
  content: [{ type: 'text', text: 'x' }], usage: { input_tokens: 5, output_tokens: 1 },
}; // prettier-ignore

interface Answered {
  request: HostileRequest;
  status: number;
  body: { decision?: string; denied?: boolean; message?: string; error?: string };
  text: string;
}

let api: TestApi;
let provider: WireProvider;
let client: Pool;
const logged: string[] = [];

beforeAll(async () => {
  provider = await startWireProvider(() => ({ pieces: [JSON.stringify(REPLY)] }));
  const env = {
    SERVICE_LOG_LEVEL: 'trace',
    SERVICE_KMS_MODE: 'static',
    SERVICE_KMS_STATIC_KEK: Buffer.alloc(32, 7).toString('base64'),
    SERVICE_LLM_ANTHROPIC_URL: provider.url,
    ANTHROPIC_API_KEY: 'provider-key',
  };
  api = await startApi(env, [InternalModule], { logTo: { write: (line) => void logged.push(line) } });
  client = new Pool(api.url, {
    connections: AT_ONCE,
    headersTimeout: ANSWERED_WITHIN_MS,
    bodyTimeout: ANSWERED_WITHIN_MS,
  });
});
afterAll(async () => {
  await client?.close();
  await api?.close();
  await provider?.close();
});

function internalRoutes(): string[] {
  return api.app
    .get(RouteTable)
    .names()
    .filter((name) => name.includes(' /internal/') && !name.startsWith('HEAD '));
}

function newRun(): Promise<FixtureRun> {
  return createGatedRun(api.db, { policy: POLICY, kb: KB, brokered: ['mail'] });
}

async function send(run: FixtureRun, route: string, request: HostileRequest): Promise<Answered> {
  const [method = '', pattern = ''] = route.split(' ');
  const [, audience = 'control'] = AUDIENCES.find(([end]) => end.test(pattern)) ?? [];
  const path = pattern.replace(':id', request.pathId ?? run.runId).replace('*', 'v1/messages') + request.query;
  const headers = { ...request.headers, authorization: `Bearer ${run.tokens[audience]}` };
  const answer = await client.request({ method: method, path, headers, body: request.body }).catch((cause: unknown) => {
    throw new Error(`${route} did not answer ${shown(request)}`, { cause });
  });
  const text = await answer.body.text();
  return {
    request,
    status: answer.statusCode,
    text,
    body: text.startsWith('{') ? (JSON.parse(text) as Answered['body']) : {},
  };
}

function shown({ body, headers }: HostileRequest): string {
  return `${String(body).slice(0, 600)} ${JSON.stringify(headers)}`;
}

/** Sends them, a few at a time; a run that a request has ended is followed by another. */
async function sendAll(route: string, requests: HostileRequest[]): Promise<{ run: FixtureRun; answers: Answered[] }[]> {
  const chunks = Array.from({ length: Math.ceil(requests.length / OF_ONE_RUN) }, (_, n) =>
    requests.slice(n * OF_ONE_RUN, (n + 1) * OF_ONE_RUN),
  );
  const done: { run: FixtureRun; answers: Answered[] }[] = [];
  const sender = async (): Promise<void> => {
    for (let chunk = chunks.pop(); chunk !== undefined; chunk = chunks.pop()) {
      const run = await newRun();
      const answers: Answered[] = [];
      for (const request of chunk) answers.push(await send(run, route, request));
      done.push({ run, answers });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return done;
}

/** Body and answer of those for which it does not hold, short enough to be read. */
function failing(answers: Answered[], holds: (answer: Answered) => boolean): string[] {
  return answers
    .filter((answer) => !holds(answer))
    .slice(0, 5)
    .map(({ request, status, text }) => `${shown(request)} => ${status} ${text.slice(0, 300)}`);
}

const isPlain = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
const countOf = (ledger: LedgerLine[], type: string): number => ledger.filter((line) => line.type === type).length;

async function expectRecorded(route: string, run: FixtureRun, answers: Answered[]): Promise<void> {
  const calls = answers.filter(({ status }) => route.endsWith('/permission') || status === 200);
  const ledger = await readLedger(api.db, run);
  expect({ route, requested: countOf(ledger, 'tool.requested') }).toEqual({ route, requested: calls.length });
  expect(countOf(ledger, 'tool.decision')).toBe(calls.length);
  const named = calls.filter(({ request }) => request.namesCall);
  for (const { request } of named.slice(0, 3)) {
    const again = await send(run, route, request);
    expect(again.status).toBe(200);
  }
  expect(countOf(await readLedger(api.db, run), 'tool.requested')).toBe(calls.length);
}

const postgresLog = (): string => readFileSync(process.env['TEST_DATABASE_LOG'] ?? '', 'utf8');
const apiLog = (): string => logged.join('');

describe('hostile requests to the runner plane', () => {
  it('CP-292 CP-293 each is answered, each call is recorded once, none is an error of the server, nothing of them is in a log', async () => {
    const routes = internalRoutes();
    expect(routes).toHaveLength(18);
    const each = Math.ceil(REQUESTS / routes.length);
    for (const [index, route] of routes.entries()) {
      const done = await sendAll(route, hostileRequests(route, each, SEED + index));
      const answers = done.flatMap((part) => part.answers);
      expect(answers).toHaveLength(each);
      expect(failing(answers, ({ status }) => status < 500)).toEqual([]);
      expect(failing(answers, ({ body }) => isPlain(body.message ?? '') && isPlain(body.error ?? ''))).toEqual([]);
      if (route.endsWith('/permission'))
        expect(failing(answers, ({ status, body }) => status === 200 && body.decision !== undefined)).toEqual([]);
      if (route.endsWith('/tools/call'))
        expect(failing(answers, ({ status, body }) => status === 400 || body.denied === true)).toEqual([]);
      if (/\/(permission|tools\/call)$/.test(route))
        for (const { run, answers: ofRun } of done) await expectRecorded(route, run, ofRun);
    }
    expect(apiLog()).not.toContain(MARK);
    expect(apiLog()).not.toContain(MARK_DIGITS);
    expect(postgresLog()).not.toContain(MARK);
    expect(postgresLog()).not.toContain(MARK_DIGITS);
  }, 600_000);

  it('the recorders of logs see what is logged, and an error of the server itself says nothing of the request', async () => {
    const planted = `${MARK}-planted`;
    await api.database.owner.query(`do $$ begin raise log '${planted}'; end $$`);
    await until(
      () => Promise.resolve(postgresLog()),
      (text) => text.includes(planted),
    );
    await api.database.owner.query(
      `alter table idempotency_keys add constraint no_marks check (key not like '${MARK}%') not valid`,
    );
    const before = logged.length;
    const postgresBefore = postgresLog().length;
    const run = await newRun();
    const body = Buffer.from(JSON.stringify({ actor: 'agent', body: { type: 'note', data: { text: MARK } } }));
    const headers = { 'idempotency-key': `${MARK}-key` };
    const answer = await send(run, 'POST /internal/events', {
      body,
      headers,
      query: '',
      pathId: null,
      namesCall: false,
    });
    expect(answer.status).toBe(500);
    const lines = logged.slice(before).join('');
    expect(lines).toContain('no_marks');
    expect(lines).not.toContain(MARK);
    const said = await until(
      () => Promise.resolve(postgresLog().slice(postgresBefore)),
      (text) => text.includes('no_marks'),
    );
    expect(said.replaceAll(planted, '')).not.toContain(MARK);
  });
});
