import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/domain/json.js';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun, post, readLedger, readRows } from '../../support/gate/gated-run.js';
import type { GatedRunOptions, PlaneAnswer } from '../../support/gate/gated-run.js';
import { DIALECT_CASES, streamedAnswer, wholeAnswer } from '../../support/models/model-wire.js';
import type { DialectCase, WireReply } from '../../support/models/model-wire.js';
import { startPlane } from '../../support/plane/plane-app.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';
import { startWireProvider } from '../../support/models/wire-provider.js';
import type { WireAnswer, WireProvider, WireRequest } from '../../support/models/wire-provider.js';

const USAGE = { input: 100, output: 50, cacheRead: 10, cacheWrite: 0 };
const SSE = { 'content-type': 'text/event-stream' };

let database: TestDatabase;
let provider: WireProvider;
let plane: PlaneApp;
let answer: (request: WireRequest) => WireAnswer | Promise<WireAnswer>;

beforeAll(async () => {
  database = await createTestDatabase();
  provider = await startWireProvider((request) => answer(request));
  plane = await startPlane(database, {
    SERVICE_LLM_ANTHROPIC_URL: provider.url,
    ANTHROPIC_API_KEY: 'anthropic-key',
    SERVICE_LLM_OPENAI_URL: provider.url,
    OPENAI_API_KEY: 'openai-key',
  });
});
afterEach(() => {
  provider.requests.length = 0;
});
afterAll(async () => {
  await plane.close();
  await provider.close();
  await database.close();
});

const runOf = (one: DialectCase, options: GatedRunOptions = {}): Promise<FixtureRun> =>
  createGatedRun(database.db, { harness: one.harness, model: one.model, ...options });
const call = (run: FixtureRun, one: DialectCase, body: unknown, at = plane): Promise<PlaneAnswer> =>
  post(`${at.url}/internal/llm/${one.path}`, run.tokens.llm, body);
const reply =
  (one: DialectCase, more: Partial<WireReply> = {}) =>
  ({ body }: WireRequest): WireAnswer => {
    const said: WireReply = { texts: ['hel', 'lo'], usage: USAGE, ...more };
    return body['stream'] === true
      ? { headers: SSE, pieces: streamedAnswer(one.dialect, said).events }
      : { pieces: [JSON.stringify(wholeAnswer(one.dialect, said))] };
  };
const usageOf = (run: FixtureRun) =>
  readRows(
    database.db,
    run,
    'select input_tokens::int, output_tokens::int, cache_read_tokens::int from usage_entries where session_id = $1',
  );
const reservationsOf = async (run: FixtureRun): Promise<string[]> =>
  (await readRows<{ state: string }>(database.db, run, 'select state from llm_reservations where session_id = $1')).map(
    ({ state }) => state,
  );
const outcomeOf = (run: FixtureRun) =>
  readRows(database.db, run, 'select outcome from session_finalizations where session_id = $1');

describe.each(DIALECT_CASES)('the model gateway in $dialect', (one) => {
  it.each([false, true])('CP-023 charges what was reported and passes the answer on (streamed: %s)', async (stream) => {
    const run = await runOf(one);
    answer = reply(one);
    const response = await fetch(`${plane.url}/internal/llm/${one.path}?beta=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${run.tokens.llm}`, 'x-other': 'y' },
      body: JSON.stringify(one.request({ stream, ...(one.dialect === 'openai-chat' && stream ? { stream_options: { include_usage: true } } : {}) })),
    }); // prettier-ignore
    const sent = stream
      ? streamedAnswer(one.dialect, { texts: ['hel', 'lo'], usage: USAGE }).events.join('')
      : JSON.stringify(wholeAnswer(one.dialect, { texts: ['hel', 'lo'], usage: USAGE }));
    expect(await response.text()).toBe(sent);
    expect(await usageOf(run)).toEqual([{ input_tokens: 100, output_tokens: 50, cache_read_tokens: 10 }]);
    expect(await reservationsOf(run)).toEqual(['charged']);
    const [request] = provider.requests;
    expect(request?.path).toBe(`/${one.path}`);
    expect(request?.headers).toMatchObject(
      one.dialect === 'anthropic' ? { 'x-api-key': 'anthropic-key' } : { authorization: 'Bearer openai-key' },
    );
    expect(request?.headers).not.toHaveProperty(one.dialect === 'anthropic' ? 'authorization' : 'x-api-key');
    expect(request?.headers).not.toHaveProperty('x-other');
    expect(JSON.stringify(request)).not.toContain('svc_sess_');
    expect(JSON.stringify(await readLedger(database.db, run))).not.toContain('hello');
  });

  it('CP-023 passes an answer in one piece on byte for byte, however long', async () => {
    const run = await runOf(one);
    const text = JSON.stringify(wholeAnswer(one.dialect, { texts: ['ü'.repeat(200_000)], usage: USAGE }));
    const bytes = Buffer.from(text);
    answer = () => ({ pieces: [bytes.subarray(0, 1000), bytes.subarray(1000, 90_001), bytes.subarray(90_001)] });
    expect(await call(run, one, one.request())).toMatchObject({ status: 200, body: JSON.parse(text) as JsonObject });
    expect(await reservationsOf(run)).toEqual(['charged']);
  });

  it.each(['half \ud800', 'nul \u0000', 'x'.repeat(9000)])('CP-023 charges an answer whatever its model calls a tool', async (name) => {
    const run = await runOf(one);
    answer = reply(one, { tools: [{ id: 'use_1', name }, { id: name, name: 'Bash' }] });
    expect((await call(run, one, one.request())).status).toBe(200);
    expect(await reservationsOf(run)).toEqual(['charged']);
    expect(await readRows(database.db, run, 'select tool_use_id from llm_tool_uses where session_id = $1')).toEqual([
      { tool_use_id: 'use_1' },
    ]);
  }); // prettier-ignore

  it('CP-332 refuses in the words of the gateway, and says that a retry cannot help', async () => {
    const run = await runOf(one);
    for (const [body, named] of [
      [one.request({ model: 'another' }), one.model],
      ['{"model":', 'JSON'],
      [one.request({ fallbacks: ['another'] }), 'fallbacks'],
    ] as const) {
      const refused = await call(run, one, body);
      expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining(named) } });
      expect(refused.headers.get('x-should-retry')).toBe('false');
    }
    for (const other of DIALECT_CASES.filter(({ path }) => path !== one.path)) {
      expect((await call(run, other, one.request())).status).toBe(404);
    }
    expect(provider.requests).toEqual([]);
    const spent = await runOf(one, { budgets: { max_tokens: 0 } });
    expect(await call(spent, one, one.request())).toMatchObject({ status: 400, body: { error: 'token budget exhausted' } });
    const stopped = await runOf(one, { status: 'cancelling' });
    expect(await call(stopped, one, '{')).toMatchObject({ status: 400, body: { error: 'session is not active' } });
  }); // prettier-ignore

  it('CP-333 passes an error of the provider on unchanged', async () => {
    const run = await runOf(one);
    for (const [status, state] of [[400, 'released'], [401, 'released'], [429, 'released'], [503, 'released'], [408, 'unreported'], [500, 'unreported']] as const) {
      const text = `{"error": {"message":"no","odd":[1e3 , "é"],"type":"t${status}"}}`;
      answer = () => ({ status, headers: { 'content-type': 'application/json', 'retry-after': '7', 'x-private': 'z' }, pieces: [text] });
      const response = await fetch(`${plane.url}/internal/llm/${one.path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${run.tokens.llm}` },
        body: JSON.stringify(one.request()),
      });
      expect([response.status, await response.text()]).toEqual([status, text]);
      expect(response.headers.get('retry-after')).toBe('7');
      expect(response.headers.get('x-private')).toBeNull();
      const [last] = await readRows<{ state: string }>(database.db, run, 'select state from llm_reservations where session_id = $1 order by id desc limit 1');
      expect(last?.state).toBe(state);
    }
    expect(await usageOf(run)).toEqual([]);
  }); // prettier-ignore

  it('CP-074 admits one of five parallel requests when there is room for one', async () => {
    const run = await runOf(one, { budgets: { max_tokens: 2600 } });
    let refused = 0;
    let release!: () => void;
    const allRefused = new Promise<void>((resolve) => (release = resolve));
    answer = async (request) => {
      await allRefused;
      return reply(one)(request);
    };
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const given = await call(run, one, one.request());
        if (given.status !== 200) refused += 1;
        if (refused === 4) release();
        return given;
      }),
    );
    expect(provider.requests).toHaveLength(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429, 429]);
    for (const { body, headers } of answers.filter(({ status }) => status === 429)) {
      expect(body['error']).toContain('llm_budget_reservation_exceeded');
      expect(headers.get('retry-after')).toBe('1');
      expect(headers.get('x-should-retry')).toBeNull();
    }
    expect(await reservationsOf(run)).toEqual(['charged']);
  });

  it('CP-074 lowers the output limit to what is left, also of a request without one', async () => {
    const run = await runOf(one, { budgets: { max_tokens: 3000 } });
    answer = reply(one);
    const open = one.request();
    delete open[one.limit];
    await call(run, one, one.request({ [one.limit]: 100_000 }));
    await call(run, one, open);
    for (const { body } of provider.requests) {
      expect(Number(body[one.limit])).toBeGreaterThanOrEqual(1024);
      expect(Number(body[one.limit])).toBeLessThan(3000);
    }
    expect(provider.requests).toHaveLength(2);
  });

  it('CP-023 is drained when the client hangs up, and one without usage stays counted', async () => {
    const run = await runOf(one);
    const { events } = streamedAnswer(one.dialect, { texts: Array.from({ length: 50 }, (_, n) => `w${n}`), usage: USAGE });
    let release!: () => void;
    const aborted = new Promise<void>((resolve) => (release = resolve));
    answer = async () => {
      await aborted;
      return { headers: SSE, pieces: events };
    };
    const controller = new AbortController();
    const pending = fetch(`${plane.url}/internal/llm/${one.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${run.tokens.llm}` },
      body: JSON.stringify(one.request({ stream: true })),
      signal: controller.signal,
    });
    const hungUp = expect(pending).rejects.toThrow();
    while (provider.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await hungUp;
    release();
    const settled = await until(() => reservationsOf(run), ([state]) => state !== 'reserved');
    expect(settled).toEqual(['charged']);
    expect(await usageOf(run)).toHaveLength(1);
    answer = () => ({ headers: SSE, pieces: events.slice(0, 10) });
    await (await fetch(`${plane.url}/internal/llm/${one.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${run.tokens.llm}` },
      body: JSON.stringify(one.request({ stream: true })),
    })).text();
    expect((await reservationsOf(run)).sort()).toEqual(['charged', 'unreported']);
  }); // prettier-ignore

  async function useTools(run: FixtureRun, ids: string[], name = 'Bash'): Promise<void> {
    answer = reply(one, { tools: ids.map((id) => ({ id, name })) });
    const response = await fetch(`${plane.url}/internal/llm/${one.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${run.tokens.llm}` },
      body: JSON.stringify(one.request({ stream: true })),
    });
    await response.text();
    answer = reply(one);
  }
  const decide = (run: FixtureRun, id: string) =>
    post(`${plane.url}/internal/permission`, run.tokens.tool, {
      tool_call_id: id,
      tool: 'Bash',
      input: { command: 'ls' },
    });

  it('CP-026 lets decided results pass, and fails the run for one that was never asked about', async () => {
    const run = await runOf(one, { tools: [{ match: ['Bash'], action: 'allow' }], brokered: ['kb'] });
    await useTools(run, ['call_a']);
    await useTools(run, ['call_m'], 'mcp__kb__find');
    await useTools(run, ['call_n'], 'kb__find');
    expect(
      await readRows(database.db, run, 'select tool_use_id, tool from llm_tool_uses where session_id = $1 order by 1'),
    ).toEqual([
      { tool_use_id: 'call_a', tool: 'Bash' },
      { tool_use_id: 'call_m', tool: 'mcp__kb__find' },
      { tool_use_id: 'call_n', tool: 'kb__find' },
    ]);
    await decide(run, 'call_a');
    const decided = [{ id: 'call_a', text: 'done' }, { id: 'call_m', text: 'found' }, { id: 'call_n', text: 'found' }];
    expect((await call(run, one, one.carrying(decided))).status).toBe(200);
    provider.requests.length = 0;
    const refused = await call(run, one, one.carrying([...decided, { id: 'call_other', text: 'done' }]));
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('never decided') } });
    expect(provider.requests).toEqual([]);
    expect(await outcomeOf(run)).toEqual([{ outcome: 'failed' }]);
  }); // prettier-ignore

  it('CP-026 notes five uses that the harness refused itself, and fails the run at the sixth', async () => {
    const run = await runOf(one);
    const ids = Array.from({ length: 6 }, (_, n) => `call_${n}`);
    await useTools(run, ids);
    const refusals = ids.map((id) => ({ id, text: 'no such tool', refused: true }));
    for (let n = 1; n <= 5; n += 1) {
      expect((await call(run, one, one.carrying(refusals.slice(0, n)))).status).toBe(200);
    }
    const noted = (await readLedger(database.db, run)).filter(({ type }) => type === 'tool.rejected');
    expect(noted.map(({ data }) => data['tool_call_id'])).toEqual(ids.slice(0, 5));
    expect((await call(run, one, one.carrying(refusals))).status).toBe(400);
    expect(await outcomeOf(run)).toEqual([{ outcome: 'failed' }]);
    const other = await runOf(one);
    await useTools(other, ['call_long']);
    const long = await call(other, one, one.carrying([{ id: 'call_long', text: 'x'.repeat(4096), refused: true }]));
    expect(long.status).toBe(400);
  });
});

describe('a Chat Completions stream', () => {
  const chat = DIALECT_CASES.find(({ dialect }) => dialect === 'openai-chat') as DialectCase;

  it('CP-023 is metered for a client that did not ask for usage, and looks to it as if nobody had', async () => {
    const run = await runOf(chat);
    answer = reply(chat);
    const response = await fetch(`${plane.url}/internal/llm/${chat.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${run.tokens.llm}` },
      body: JSON.stringify(chat.request({ stream: true })),
    });
    const { events, lastReport } = streamedAnswer('openai-chat', { texts: ['hel', 'lo'], usage: USAGE });
    expect(await response.text()).toBe(events.toSpliced(lastReport - 1, 1).join(''));
    expect(provider.requests[0]?.body['stream_options']).toEqual({ include_usage: true });
    expect(await usageOf(run)).toEqual([{ input_tokens: 100, output_tokens: 50, cache_read_tokens: 10 }]);
  });
});

describe('the providers of a deployment', () => {
  const [anthropic, responses, chat] = DIALECT_CASES as [DialectCase, DialectCase, DialectCase];

  it('CP-062 that do not speak a dialect are 502, and it says what to set; none at all is 503', async () => {
    const half = await startPlane(database, { SERVICE_LLM_ANTHROPIC_URL: provider.url, ANTHROPIC_API_KEY: 'k' });
    const none = await startPlane(database);
    try {
      for (const one of [responses, chat]) {
        const run = await runOf(one);
        const refused = await call(run, one, '{', half);
        expect(refused).toMatchObject({ status: 502, body: { error: expect.stringContaining('OPENAI_API_KEY') } });
        expect(refused.headers.get('x-should-retry')).toBe('false');
        expect(await call(run, one, one.request(), none)).toMatchObject({ status: 503, body: { error: expect.stringContaining('OPENAI_API_KEY') } });
        expect(await reservationsOf(run)).toEqual([]);
      }
    } finally {
      await half.close();
      await none.close();
    }
  }); // prettier-ignore

  it('CP-062 are one gateway when it is set, with its key in the headers of each dialect', async () => {
    const one = await startPlane(database, {
      SERVICE_LLM_UPSTREAM_URL: `${provider.url}/proxy`,
      SERVICE_LLM_UPSTREAM_KEY: 'master',
      OPENAI_API_KEY: 'unused',
    });
    try {
      for (const dialect of [anthropic, responses, chat]) {
        answer = reply(dialect);
        expect((await call(await runOf(dialect), dialect, dialect.request(), one)).status).toBe(200);
        const sent = provider.requests.at(-1);
        expect(sent?.path).toBe(`/proxy/${dialect.path}`);
        expect(sent?.headers['authorization']).toBe('Bearer master');
        expect(sent?.headers['x-api-key']).toBe(dialect === anthropic ? 'master' : undefined);
      }
    } finally {
      await one.close();
    }
  });

  it('CP-062 may stand below a path of their own', async () => {
    const local = await startPlane(database, { SERVICE_LLM_OPENAI_URL: `${provider.url}/openai/v2`, OPENAI_API_KEY: 'k' });
    try {
      answer = reply(chat);
      expect((await call(await runOf(chat), chat, chat.request(), local)).status).toBe(200);
      expect(provider.requests[0]?.path).toBe('/openai/v2/chat/completions');
      expect(provider.requests[0]?.body).not.toHaveProperty('store');
    } finally {
      await local.close();
    }
  }); // prettier-ignore
});

describe('the prices of the operator', () => {
  it('CP-074 charge and cap a model that the package does not know', async () => {
    const chat = DIALECT_CASES[2] as DialectCase;
    const priced = await startPlane(database, {
      SERVICE_LLM_OPENAI_URL: provider.url,
      OPENAI_API_KEY: 'k',
      SERVICE_LLM_PRICES: 'models: {house: {input_mtok: 1, output_mtok: 4, cache_read_mtok: 0.5}}',
    });
    try {
      const run = await runOf(chat, { model: 'house', budgets: { max_cost_usd: 0.01 } });
      answer = reply(chat);
      const body: JsonObject = { model: 'house', messages: [{ role: 'user', content: 'hi' }] };
      expect((await call(run, chat, body, priced)).status).toBe(200);
      expect(Number(provider.requests[0]?.body['max_tokens'])).toBeLessThanOrEqual(2500);
      expect(
        await readRows(database.db, run, 'select cost_micros::int from usage_entries where session_id = $1'),
      ).toEqual([{ cost_micros: 100 + 4 * 50 + 5 }]);
    } finally {
      await priced.close();
    }
  });
});
