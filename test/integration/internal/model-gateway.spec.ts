import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import type { ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import type { ModelScript } from '../../../src/cli/demo/wire/model-script.js';
import { startConnectProxy } from '../../support/http/connect-proxy.js';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun, post, readLedger, readRows } from '../../support/gate/gated-run.js';
import type { PlaneAnswer } from '../../support/gate/gated-run.js';
import { startPlane } from '../../support/plane/plane-app.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';

const MODEL = 'claude-haiku-4-5';
const USAGE = { input_tokens: 100, output_tokens: 50, cache_read_input_tokens: 10, cache_creation_input_tokens: 20 };
/** 100 × 1 + 50 × 5 + 10 × 0.1 + 20 × 1.25 micro-dollars. */
const COST_MICROS = 376;

let database: TestDatabase;
let plane: PlaneApp;
let model: ScriptedModel;
let script: ModelScript;

beforeAll(async () => {
  database = await createTestDatabase();
  model = await startScriptedModel({ script: (request) => script(request), apiKey: 'provider-key' });
  plane = await startPlane(database, { SERVICE_LLM_ANTHROPIC_URL: model.url, ANTHROPIC_API_KEY: 'provider-key' });
});
afterEach(() => {
  model.requests.length = 0;
});
afterAll(async () => {
  await plane.close();
  await model.close();
  await database.close();
});

const say =
  (text: string, more: object = {}): ModelScript =>
  () => ({ kind: 'reply', content: [{ text }], usage: USAGE, ...more });

function request(more: object = {}): object {
  return { model: MODEL, max_tokens: 2000, messages: [{ role: 'user', content: 'hello' }], ...more };
}

function call(run: FixtureRun, body: unknown, path = 'v1/messages', at: PlaneApp = plane): Promise<PlaneAnswer> {
  return post(`${at.url}/internal/llm/${path}`, run.tokens.llm, body);
}

async function stream(run: FixtureRun, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${plane.url}/internal/llm/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': run.tokens.llm },
    body: JSON.stringify({ ...body, stream: true }),
    ...(signal === undefined ? {} : { signal }),
  });
}

const usageOf = (run: FixtureRun) =>
  readRows(
    database.db,
    run,
    'select model, input_tokens::int, output_tokens::int, cache_read_tokens::int, cache_write_tokens::int, cost_micros::int, source from usage_entries where session_id = $1',
  );
const reservationsOf = async (run: FixtureRun) =>
  (
    await readRows<{ state: string }>(
      database.db,
      run,
      'select state from llm_reservations where session_id = $1 order by id',
    )
  ).map((row) => row.state);

async function eventually(check: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Requests at once, to a provider that answers none of them before so many were refused. */
async function whileTheProviderThinks(
  run: FixtureRun,
  of: { requests: number; refused: number },
): Promise<PlaneAnswer[]> {
  let refused = 0;
  let release!: () => void;
  const enough = new Promise<void>((resolve) => (release = resolve));
  script = async () => {
    await enough;
    return { kind: 'reply', content: [{ text: 'x' }], usage: USAGE };
  };
  return Promise.all(
    Array.from({ length: of.requests }, async () => {
      const answer = await call(run, request());
      if (answer.status !== 200) refused += 1;
      if (refused >= of.refused) release();
      return answer;
    }),
  );
}

describe('an answered model request', () => {
  it.each([false, true])(
    'CP-023 CP-022 is charged with what the provider reported (streamed: %s)',
    async (streamed) => {
      const run = await createGatedRun(database.db);
      script = say('canary-completion-2b7e');
      const body = request({
        system: 'canary-system-91aa',
        messages: [{ role: 'user', content: 'canary-prompt-4c1d' }],
      });
      const response = streamed ? await stream(run, body) : null;
      const text = response === null ? JSON.stringify((await call(run, body)).body) : await response.text();
      expect(text).toContain('canary-completion-2b7e');
      if (response !== null) expect(response.headers.get('content-type')).toBe('text/event-stream');
      expect(await usageOf(run)).toEqual([
        {
          model: MODEL,
          input_tokens: 100,
          output_tokens: 50,
          cache_read_tokens: 10,
          cache_write_tokens: 20,
          cost_micros: COST_MICROS,
          source: 'facade',
        },
      ]);
      expect(await reservationsOf(run)).toEqual(['charged']);
      const ledger = await readLedger(database.db, run);
      expect(ledger).toMatchObject([
      {
        actor: 'system',
        type: 'model.response',
        data: {
          model: MODEL, input_tokens: 100, output_tokens: 50, cache_read_tokens: 10, cache_write_tokens: 20, cost_usd: COST_MICROS / 1e6,
          request_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), response_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        },
      },
    ]); // prettier-ignore
      expect(JSON.stringify(ledger)).not.toContain('canary');
    },
  );

  it('CP-062 reaches the provider with our key, its API headers, and nothing of the run', async () => {
    const run = await createGatedRun(database.db);
    script = say('x');
    await post(`${plane.url}/internal/llm/v1/messages?beta=true`, run.tokens.llm, request(), {
      'anthropic-version': '2023-06-01', 'anthropic-beta': 'some-beta', cookie: 'a=b', 'x-other': 'y',
    }); // prettier-ignore
    const [sent] = model.requests;
    expect(sent?.path).toBe('/v1/messages');
    expect(sent?.headers).toMatchObject({
      'x-api-key': 'provider-key',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'some-beta',
    });
    expect(sent?.headers).not.toHaveProperty('x-other');
    expect(sent?.headers).not.toHaveProperty('cookie');
    expect(JSON.stringify(sent?.headers)).not.toContain('svc_sess_');
  });

  it('CP-023 is charged when the client hangs up in the middle of the stream', async () => {
    const run = await createGatedRun(database.db);
    script = say('word '.repeat(200), { eventDelayMs: 20 });
    const controller = new AbortController();
    const response = await stream(run, request(), controller.signal);
    await response.body?.getReader().read();
    controller.abort();
    await eventually(async () => expect(await usageOf(run)).toHaveLength(1));
    expect(await reservationsOf(run)).toEqual(['charged']);
  });

  it('CP-023 without usage keeps its reservation counted', async () => {
    const run = await createGatedRun(database.db);
    script = say('x', { withoutUsage: true });
    await (await stream(run, request())).text();
    expect(await usageOf(run)).toEqual([]);
    expect(await reservationsOf(run)).toEqual(['unreported']);
    expect(await readLedger(database.db, run)).toMatchObject([
      { type: 'agent.message', data: { text: 'model stream completed (usage unparsed)' } },
    ]);
  });

  it('CP-023 that broke off is passed on as broken and keeps its reservation counted', async () => {
    const run = await createGatedRun(database.db);
    script = say('a b c', { cutAfterEvents: 3 });
    const response = await stream(run, request());
    await expect(response.text()).rejects.toThrow();
    await eventually(async () => expect(await reservationsOf(run)).toEqual(['unreported']));
  });

  it('CP-299 that is an error of the provider passes through unchanged and costs nothing', async () => {
    const run = await createGatedRun(database.db);
    script = () => ({ kind: 'error', status: 529, message: 'busy', headers: { 'retry-after': '7' } });
    const answer = await call(run, request());
    expect(answer).toMatchObject({
      status: 529,
      body: { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
    });
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(await reservationsOf(run)).toEqual(['released']);
    script = () => ({ kind: 'error', status: 500, message: 'oops' });
    expect((await call(run, request())).status).toBe(500);
    expect(await reservationsOf(run)).toEqual(['released', 'unreported']);
  });

  it('CP-080 of an unpriced model has tokens and no cost', async () => {
    const run = await createGatedRun(database.db, { harness: 'claude-agent-sdk', model: 'no-such-model' });
    script = say('x');
    expect((await call(run, request({ model: 'no-such-model' }))).status).toBe(200);
    expect(await usageOf(run)).toMatchObject([{ input_tokens: 100, cost_micros: null }]);
    expect(await readLedger(database.db, run)).toMatchObject([{ data: { cost_usd: null } }]);
  });

  it('CP-023 counting tokens holds and costs nothing', async () => {
    const run = await createGatedRun(database.db, { budgets: { max_tokens: 1 } });
    expect(await call(run, request(), 'v1/messages/count_tokens')).toMatchObject({
      status: 200,
      body: { input_tokens: expect.any(Number) },
    });
    expect(await reservationsOf(run)).toEqual([]);
  });
});

describe('a refused model request', () => {
  it('CP-009 is one for another model than the frozen one', async () => {
    const run = await createGatedRun(database.db);
    const answer = await call(run, request({ model: 'claude-opus-4-8' }));
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(MODEL) } });
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(model.requests).toEqual([]);
  });

  it.each([
    ['server tools', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['MCP servers', { mcp_servers: [{ type: 'url', url: 'https://x', name: 'x' }] }],
  ])('CP-026 is one with %s', async (_what, more) => {
    const run = await createGatedRun(database.db);
    expect((await call(run, request(more))).status).toBe(400);
    expect(model.requests).toEqual([]);
  });

  it('CP-026 is refused in the order of the checks', async () => {
    const stopped = await createGatedRun(database.db, { status: 'cancelling' });
    expect(await call(stopped, '{', 'v1/nothing')).toMatchObject({
      status: 400,
      body: { error: 'session is not active' },
    });
    const run = await createGatedRun(database.db);
    expect(await call(run, '{', 'v1/nothing')).toMatchObject({ status: 404 });
    expect(await call(run, '{')).toMatchObject({ status: 400, body: { error: expect.stringContaining('JSON') } });
    const replay = await createGatedRun(database.db, { harness: 'replay' });
    expect(await call(replay, request(), 'v1/nothing')).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('replay') },
    });
    const spent = await createGatedRun(database.db, { budgets: { max_tokens: 0 } });
    expect(await call(spent, '{', 'v1/nothing')).toMatchObject({
      status: 400,
      body: { error: 'token budget exhausted' },
    });
  });

  it('CP-062 without a provider is 503 and says what to set', async () => {
    const bare = await startPlane(database);
    try {
      const run = await createGatedRun(database.db);
      const answer = await call(run, request(), 'v1/messages', bare);
      expect(answer).toMatchObject({ status: 503, body: { error: expect.stringContaining('ANTHROPIC_API_KEY') } });
      expect(answer.headers.get('x-should-retry')).toBe('false');
    } finally {
      await bare.close();
    }
  });

  it('CP-037 reaches its provider through the configured proxy, which alone knows the name', async () => {
    const proxy = await startConnectProxy();
    const { port } = new URL(model.url);
    const proxied = await startPlane(database, {
      SERVICE_LLM_ANTHROPIC_URL: `http://models.example:${port}`,
      ANTHROPIC_API_KEY: 'provider-key',
      SERVICE_EGRESS_PROXY: proxy.url,
    });
    try {
      script = say('through');
      const run = await createGatedRun(database.db);
      expect((await call(run, request(), 'v1/messages', proxied)).status).toBe(200);
      expect(proxy.tunnels).toEqual([`models.example:${port}`]);
    } finally {
      await proxied.close();
      await proxy.close();
    }
  });

  it('CP-023 with a provider that cannot be reached is 502 and releases its reservation', async () => {
    const closed = await startPlane(database, {
      SERVICE_LLM_ANTHROPIC_URL: 'http://127.0.0.1:9',
      ANTHROPIC_API_KEY: 'k',
    });
    try {
      const run = await createGatedRun(database.db);
      expect((await call(run, request(), 'v1/messages', closed)).status).toBe(502);
      expect(await reservationsOf(run)).toEqual(['released']);
    } finally {
      await closed.close();
    }
  });
});

describe('budgets of model requests', () => {
  it('CP-074 lower the output limit to what is left', async () => {
    const run = await createGatedRun(database.db, { budgets: { max_tokens: 3000 } });
    script = say('x');
    await call(run, request({ max_tokens: 100_000 }));
    const sent = Number(model.requests[0]?.body['max_tokens']);
    expect(sent).toBeGreaterThanOrEqual(1024);
    expect(sent).toBeLessThan(3000);
    const priced = await createGatedRun(database.db, { budgets: { max_cost_usd: 0.01 } });
    await call(priced, request({ max_tokens: 100_000 }));
    expect(Number(model.requests[1]?.body['max_tokens'])).toBeLessThanOrEqual(2000);
  });

  it('CP-074 end the run with a final 400 once they are used up, and warn at 80 percent', async () => {
    const run = await createGatedRun(database.db, { budgets: { max_tokens: 4000 } });
    script = say('x', { usage: { ...USAGE, output_tokens: 3200 } });
    expect((await call(run, request())).status).toBe(200);
    const answer = await call(run, request());
    expect(answer).toMatchObject({ status: 400, body: { error: 'token budget exhausted' } });
    expect(answer.headers.get('x-should-retry')).toBe('false');
    const ledger = await readLedger(database.db, run);
    expect(ledger.map((line) => line.type)).toEqual(['model.response', 'budget.warning', 'budget.exceeded']);
    expect(ledger[1]?.data).toMatchObject({ budget: 'max_tokens', limit: '4000', spent: '3330' });
    expect(await readRows(database.db, run, 'select outcome from session_finalizations where session_id = $1')).toEqual(
      [{ outcome: 'budget_exceeded' }],
    );
  });

  it('CP-074 admit one of five parallel requests when there is room for one', async () => {
    const run = await createGatedRun(database.db, { budgets: { max_tokens: 2600 } });
    const answers = await whileTheProviderThinks(run, { requests: 5, refused: 4 });
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 429, 429, 429, 429]);
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expect(answer.body['error']).toContain('llm_budget_reservation_exceeded');
      expect(answer.headers.get('x-should-retry')).toBeNull();
    }
    expect(await reservationsOf(run)).toEqual(['charged']);
    expect((await call(run, request())).status).toBe(200);
  });

  it('CP-074 a ninth request of one run in flight is told to wait, and that is noted once', async () => {
    const run = await createGatedRun(database.db);
    const answers = await whileTheProviderThinks(run, { requests: 10, refused: 2 });
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
    await eventually(async () =>
      expect((await readLedger(database.db, run)).filter((line) => line.type === 'run.limit_reached')).toMatchObject([
        { data: { limit: 'model_requests' } },
      ]),
    );
  });

  it('CP-074 a 400 ends and a 429 is retried in the provider’s own client', async () => {
    const client = (run: FixtureRun) =>
      new Anthropic({ baseURL: `${plane.url}/internal/llm`, apiKey: run.tokens.llm, maxRetries: 3 });
    const ask = { model: MODEL, max_tokens: 2000, messages: [{ role: 'user' as const, content: 'hello' }] };
    script = say('hi', { delayMs: 400 });
    const run = await createGatedRun(database.db, { budgets: { max_tokens: 2600 } });
    const both = await Promise.all([client(run).messages.create(ask), client(run).messages.create(ask)]);
    expect(both.map((message) => message.content[0])).toEqual(
      [
        { type: 'text', text: 'hi' },
        { type: 'text', text: 'hi' },
      ].map((block) => expect.objectContaining(block)),
    );
    model.requests.length = 0;
    const spent = await createGatedRun(database.db, { budgets: { max_tokens: 10 } });
    await expect(client(spent).messages.create(ask)).rejects.toMatchObject({ status: 400 });
    expect(model.requests).toEqual([]);
    const exceeded = (await readLedger(database.db, spent)).filter((line) => line.type === 'budget.exceeded');
    expect(exceeded).toHaveLength(1);
  });
});

describe('the cross-check of tool results', () => {
  const result = (id: string, more: object = {}) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: 'done',
    ...more,
  });
  const carrying = (...results: object[]) =>
    request({
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: results.map((one) => ({
            type: 'tool_use',
            id: (one as { tool_use_id: string }).tool_use_id,
            name: 'Bash',
            input: {},
          })),
        },
        { role: 'user', content: results },
      ],
    });

  async function useTool(run: FixtureRun, id: string, tool = 'Bash'): Promise<void> {
    script = () => ({ kind: 'reply', content: [{ tool, input: { command: 'ls' }, id }], usage: USAGE });
    await (await stream(run, request())).text();
    script = say('ok');
  }

  it('CP-026 lets the result of a decided use pass, allowed or denied', async () => {
    const run = await createGatedRun(database.db, {
      tools: [
        { match: ['Bash'], action: 'allow' },
        { match: ['*'], action: 'deny' },
      ],
    });
    await useTool(run, 'toolu_a');
    expect(
      await readRows(database.db, run, 'select tool_use_id, tool from llm_tool_uses where session_id = $1'),
    ).toEqual([{ tool_use_id: 'toolu_a', tool: 'Bash' }]);
    await post(`${plane.url}/internal/permission`, run.tokens.tool, {
      tool_call_id: 'toolu_a',
      tool: 'Bash',
      input: { command: 'ls' },
    });
    await useTool(run, 'toolu_b', 'Write');
    await post(`${plane.url}/internal/permission`, run.tokens.tool, {
      tool_call_id: 'toolu_b',
      tool: 'Write',
      input: {},
    });
    expect((await call(run, carrying(result('toolu_a'), result('toolu_b', { is_error: true })))).status).toBe(200);
  });

  it.each([
    ['a metered use', 'toolu_a'],
    ['a use under another id', 'toolu_renamed'],
  ])('CP-026 fails the run for the result of %s that was never asked about', async (_what, id) => {
    const run = await createGatedRun(database.db);
    await useTool(run, 'toolu_a');
    model.requests.length = 0;
    const answer = await call(run, carrying(result(id)));
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('never decided') } });
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(model.requests).toEqual([]);
    expect(await readRows(database.db, run, 'select outcome from session_finalizations where session_id = $1')).toEqual(
      [{ outcome: 'failed' }],
    );
    expect((await readLedger(database.db, run)).at(-1)).toMatchObject({
      type: 'run.error',
      data: { message: expect.stringContaining('never decided') },
    });
  });

  it('CP-026 leaves the names of frozen brokered surfaces to the broker, and those alone', async () => {
    const run = await createGatedRun(database.db, { brokered: ['kb'] });
    await useTool(run, 'toolu_m', 'mcp__kb__find');
    expect((await call(run, carrying(result('toolu_m')))).status).toBe(200);
    await useTool(run, 'toolu_s', 'mcp__kbx__find');
    const answer = await call(run, carrying(result('toolu_m'), result('toolu_s')));
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('never decided') } });
  });

  it('CP-026 notes five uses that the harness refused itself and fails the run at the sixth', async () => {
    const run = await createGatedRun(database.db);
    const refused = (id: string) => result(id, { is_error: true, content: 'unknown tool' });
    const seen: object[] = [];
    for (let i = 0; i < 5; i += 1) {
      await useTool(run, `toolu_${i}`);
      seen.push(refused(`toolu_${i}`));
      expect((await call(run, carrying(...seen))).status).toBe(200);
    }
    const rejected = (await readLedger(database.db, run)).filter((line) => line.type === 'tool.rejected');
    expect(rejected.map((line) => line.data['tool_call_id'])).toEqual([0, 1, 2, 3, 4].map((i) => `toolu_${i}`));
    await useTool(run, 'toolu_5');
    expect((await call(run, carrying(...seen, refused('toolu_5')))).status).toBe(400);
    expect(await readRows(database.db, run, 'select outcome from session_finalizations where session_id = $1')).toEqual(
      [{ outcome: 'failed' }],
    );
  });

  it('CP-026 does not let one request fill the ledger with refusals', async () => {
    const run = await createGatedRun(database.db);
    const many = Array.from({ length: 300 }, (_, i) => result(`toolu_${i}`, { is_error: true, content: 'no' }));
    expect((await call(run, carrying(...many))).status).toBe(400);
    const ledger = await readLedger(database.db, run);
    expect(ledger.map(({ type }) => type)).toEqual([...Array<string>(6).fill('tool.rejected'), 'run.error']);
  });

  it.each(['half a pair \ud800', 'x'.repeat(300)])('CP-026 refuses for good an id that no row can hold', async (id) => {
    const run = await createGatedRun(database.db);
    const answer = await call(run, carrying(result(id, { is_error: true, content: 'no' })));
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('id of a tool result') } });
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(await reservationsOf(run)).toEqual([]);
  });

  it('CP-026 takes no long result for a refusal, not even of a use that was refused before', async () => {
    const run = await createGatedRun(database.db);
    await useTool(run, 'toolu_a');
    expect((await call(run, carrying(result('toolu_a', { is_error: true, content: 'no' })))).status).toBe(200);
    expect((await call(run, carrying(result('toolu_a', { is_error: true, content: 'x'.repeat(4096) })))).status).toBe(
      400,
    );
  });
});

describe('a long stream', () => {
  it('CP-023 is held back at the provider while the client does not read, so that nothing piles up', async () => {
    const total = 64 * 1024 * 1024;
    const delta = `data: ${JSON.stringify({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'x'.repeat(65_000) } })}\n\n`;
    let sent = 0;
    const upstream = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (): void => {
        while (sent < total) {
          sent += delta.length;
          if (!response.write(delta)) return void response.once('drain', send);
        }
        response.end(
          `data: {"type":"message_delta","usage":{"input_tokens":1,"output_tokens":2}}\n\ndata: {"type":"message_stop"}\n\n`,
        );
      };
      send();
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const wide = await startPlane(database, { SERVICE_LLM_ANTHROPIC_URL: url, ANTHROPIC_API_KEY: 'k' });
    try {
      const run = await createGatedRun(database.db);
      const body = JSON.stringify(request({ stream: true }));
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { 'x-api-key': run.tokens.llm, 'content-length': Buffer.byteLength(body) };
        httpRequest(`${wide.url}/internal/llm/v1/messages`, { method: 'POST', headers }, resolve)
          .once('error', reject)
          .end(body);
      });
      let stalledAt = -1;
      while (stalledAt !== sent) {
        stalledAt = sent;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      // What is under way fills the socket buffers of three connections and no more.
      expect(stalledAt).toBeLessThan(32 * 1024 * 1024);
      let received = 0;
      for await (const chunk of response) received += (chunk as Buffer).length;
      expect(received).toBeGreaterThanOrEqual(total);
      expect(await usageOf(run)).toMatchObject([{ input_tokens: 1, output_tokens: 2 }]);
    } finally {
      await wide.close();
      upstream.closeAllConnections();
      upstream.close();
    }
  });
});
